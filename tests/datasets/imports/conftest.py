import pytest

from tests.datasets.making import make_data_set, make_token


@pytest.fixture(autouse=True)
def folders(settings, tmp_path):
    settings.IMPORT_WORK_DIR = tmp_path / "work"


@pytest.fixture
def data_set(db):
    return make_data_set()


@pytest.fixture
def secret(data_set):
    return make_token(data_set, "write")
