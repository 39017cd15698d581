"""Reading an upload in a process of its own, so that a large table does not hold up the pages of others."""

import asyncio

from nproc.app.inputs import own_upload
from nproc.app.jobs import Errand, read_upload
from nproc.errors import InvalidInputError


async def read_uploaded(infos, folder, texts=None):
    """Return the `Source` of an upload and an empty text, or None and the problem; an upload that was read is removed.

    Parameters
    ----------
    infos : sequence of dict
        What the browser says of the file.
    folder : Path
        The upload folder of the session, the only one in which anything is read or removed.
    texts : dict, optional
        How the columns of new rows are read, see `nproc.app.data.uploaded_source`.
    """
    try:
        path = own_upload(infos[0]["datapath"], folder)
    except InvalidInputError as error:
        return None, str(error)
    errand = Errand(read_upload, path, infos[0]["name"], texts)
    try:
        return await asyncio.to_thread(errand.run)
    finally:
        errand.cancel()
        path.unlink(missing_ok=True)
