"""Small simulated data sets, installed as nproc.data; nproc.datasets loads them."""
