"""Columns on one scale, for methods that are sensitive to units."""

from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from nproc.rows.matching import check_same_rows


def on_one_scale(step, estimator):
    """Return a pipeline that standardises the columns, then runs `estimator` as the step named `step`."""
    from sklearn.pipeline import Pipeline

    return Pipeline([("scale", ColumnScaler()), (step, estimator)])


class ColumnScaler(TransformerMixin, BaseEstimator):
    """Divide each column by its standard deviation, and centre it unless X is sparse.

    Distances do not change when columns are shifted, so a sparse X can stay sparse; a dense X is centred
    because products of large numbers lose digits. Constant columns become constant zeros.

    Attributes
    ----------
    scaler_ : sklearn.preprocessing.StandardScaler
        The fitted scaler.
    n_features_in_ : int
        Number of columns in fit.
    """

    def fit(self, X, y=None):
        """Return self after learning the means and standard deviations of the columns of `X`."""
        from sklearn.preprocessing import StandardScaler

        # the rows that it gives the next step have lost their labels
        check_same_rows(X=X, y=y)
        self.scaler_ = StandardScaler(with_mean=not sparse.issparse(X)).fit(X)
        self.n_features_in_ = self.scaler_.n_features_in_
        if hasattr(self.scaler_, "feature_names_in_"):
            self.feature_names_in_ = self.scaler_.feature_names_in_
        return self

    def transform(self, X):
        """Return `X` with scaled columns, shape unchanged."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        if self.scaler_.with_mean and sparse.issparse(X):
            X = X.toarray()
        return self.scaler_.transform(X)

    def get_feature_names_out(self, input_features=None):
        """Return the names of the columns, which do not change."""
        return self.scaler_.get_feature_names_out(input_features)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
