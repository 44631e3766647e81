"""What catalogues of open data read: JSON-LD, the DCAT catalogue and CSVW metadata. Public data sets only.

rdflib reads the JSON-LD, and the library csvw checks the CSV of the service against its metadata.
"""

import csv
import gzip
import json
import warnings
from datetime import UTC, datetime

import pytest
from django.test import Client
from rdflib import FOAF, RDF, Graph, Literal, Namespace, URIRef

from config import areas
from datasets import store
from datasets.catalogue import data_sets, schema_org
from datasets.catalogue.entries import CatalogueEntries, CatalogueEntry
from datasets.models import DataSet, DataType
from datasets.parts import PARTS
from tests.datasets.making import call, make_data_set, make_token, put_in, some_records

pytestmark = pytest.mark.django_db

BASE = "http://127.0.0.1:8000"
DCAT, DCT = Namespace("http://www.w3.org/ns/dcat#"), Namespace("http://purl.org/dc/terms/")
SCHEMA, VCARD = Namespace("https://schema.org/"), Namespace("http://www.w3.org/2006/vcard/ns#")
HYDRA = Namespace("http://www.w3.org/ns/hydra/core#")
OGL = URIRef("https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/")
ABOUT = {
    "description": 'Calls by hour. "Tests" & <b>trials</b> are left out.',
    "licence": "OGL-UK-3.0",
    "contact": "data@example.gov.uk",
    "units": {"cost": "GBP"},
}
PATHS = ["/data/pay/volumes.jsonld", "/data/pay/volumes.csv-metadata.json", "/catalogue.jsonld"]
MIXED = [
    {"_timestamp": "2024-01-01T00:00:00Z", "_id": "a", "cost": 1.5, "is web": True, "name": "=1+1", "mixed": 1},
    {
        "_timestamp": "2024-03-01T12:00:00.5Z",
        "_id": "b",
        "cost": -2e300,
        "is web": False,
        "mixed": "x",
        "_end_at": "2025-01-01T00:00:00Z",
    },
    {
        "_timestamp": "2024-02-01T00:00:00Z",
        "cost": 10**30,
        "name": 'a "quoted",\nline',
        "tags": ["x", {"y": 1}],
        "id": None,
    },
]


@pytest.fixture
def public(db) -> DataSet:
    data_set = make_data_set(public=True, **ABOUT)
    put_in(data_set, MIXED)
    data_set.refresh_from_db()
    store.fields_seen.note(data_set)
    return data_set


def got(path: str, **headers: str):
    return Client().get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def graph_of(document: dict, *, context: object = None) -> Graph:
    """Return the triples. context: replaces a context of another host, which a test must not load"""
    if context is not None:
        document = {**document, "@context": context}
    return Graph().parse(data=json.dumps(document), format="json-ld")


def test_a_public_data_set_is_a_data_set_of_schema_org(public):
    answer = got("/data/pay/volumes.jsonld")

    assert answer["Content-Type"] == "application/ld+json"
    links = {name: {"@type": "@id"} for name in ("license", "contentUrl")}
    found = graph_of(answer.json(), context={"@vocab": str(SCHEMA), **links})
    (subject,) = found.subjects(RDF.type, SCHEMA.Dataset)
    assert str(subject) == f"{BASE}/data/pay/volumes"
    assert found.value(subject, SCHEMA.name) == Literal("Pay: volumes")
    assert found.value(subject, SCHEMA.description) == Literal(ABOUT["description"])
    assert found.value(subject, SCHEMA.license) == OGL
    assert found.value(subject, SCHEMA.temporalCoverage) == Literal("2024-01-01T00:00:00Z/2024-03-01T12:00:00.500000Z")
    assert [*found.objects(None, SCHEMA.email)] == [Literal("data@example.gov.uk")]
    assert found.value(subject, SCHEMA.dateModified)
    urls = {str(url) for url in found.objects(None, SCHEMA.contentUrl)}
    assert f"{BASE}/data/pay/volumes?format=csv" in urls
    assert {got(url.removeprefix(BASE)).status_code for url in urls} == {200}


def test_the_catalogue_lists_public_data_sets_in_dcat(public):
    make_data_set(type="second", public=True, contact="https://example.gov.uk/ask me")
    make_data_set(type="private", **ABOUT)

    found = graph_of(got("/catalogue.jsonld").json())

    (catalogue,) = found.subjects(RDF.type, DCAT.Catalog)
    assert {str(one) for one in found.objects(catalogue, DCAT.dataset)} == {
        f"{BASE}/data/pay/volumes",
        f"{BASE}/data/pay/second",
    }
    subject = URIRef(f"{BASE}/data/pay/volumes")
    assert found.value(subject, DCT.license) == OGL
    assert found.value(subject, DCT.title) == Literal("Pay: volumes")
    assert found.value(found.value(subject, DCAT.contactPoint), VCARD.hasEmail) == URIRef("mailto:data@example.gov.uk")
    period = found.value(subject, DCT.temporal)
    assert found.value(period, DCAT.startDate).toPython() == datetime(2024, 1, 1, tzinfo=UTC)
    types = [str(found.value(one, DCAT.mediaType)) for one in found.objects(subject, DCAT.distribution)]
    forms = {one.rpartition("media-types/")[2] for one in types}
    assert forms == {"text/csv", "application/json", "application/x-ndjson", "application/vnd.apache.parquet"}
    (other,) = found.objects(URIRef(f"{BASE}/data/pay/second"), DCAT.contactPoint)
    assert found.value(other, VCARD.hasURL) == URIRef("https://example.gov.uk/ask%20me")


def test_every_term_of_the_catalogue_is_one_of_its_vocabularies(public):
    known = (*("http://www.w3.org/ns/", "http://www.w3.org/2006/vcard/"), str(DCT), str(FOAF), str(RDF))

    found = graph_of(got("/catalogue.jsonld").json())

    assert {str(predicate) for predicate in found.predicates() if not str(predicate).startswith(known)} == set()


def test_the_catalogue_has_pages(public):
    types = DataType.objects.bulk_create(DataType(name=f"t{number}") for number in range(data_sets.PAGE))
    DataSet.objects.bulk_create(DataSet(group=public.group, type=one, public=True) for one in types)

    url, pages = "/catalogue.jsonld", []
    while url:
        document = got(url).json()
        pages.append([one["dct:title"] for one in document["dcat:dataset"]])
        url = document["hydra:view"].get("hydra:next", {}).get("@id", "").removeprefix(BASE)

    assert [len(page) for page in pages] == [1_000, 1]
    assert pages[0][:2] == ["Pay: volumes", "Pay: t0"]
    assert pages[1] == ["Pay: t999"]


@pytest.mark.parametrize("after", ["x", "-1", "9" * 30, "0" * 5_000, "1.5", "٣"])
def test_a_page_that_does_not_exist_is_not_found(after):
    assert got(f"/catalogue.jsonld?after={after}").status_code == 404


def test_other_parts_add_entries_to_the_first_page(public):
    page = CatalogueEntry(url=f"{BASE}/dashboards/pay", title="Pay", page=f"{BASE}/dashboards/pay")
    areas.register("datasets", *PARTS, CatalogueEntries(find=lambda: [page]))
    try:
        first, second = (got(f"/catalogue.jsonld{query}").json() for query in ("", "?after=1"))
    finally:
        areas.register("datasets", *PARTS)

    assert [one["dct:title"] for one in first["dcat:dataset"]] == ["Pay", "Pay: volumes"]
    assert "Pay" not in [one["dct:title"] for one in second["dcat:dataset"]]


def test_the_csv_agrees_with_its_metadata_and_every_column_is_described(public, tmp_path):
    from csvw.metadata import CSVW

    table = got("/data/pay/volumes?format=csv")
    answer = got("/data/pay/volumes.csv-metadata.json")
    document = answer.json()
    assert answer["Content-Type"] == "application/csvm+json"
    assert document["url"] == f"{BASE}/data/pay/volumes?format=csv"
    described_by = f"{BASE}/data/pay/volumes.csv-metadata.json"
    assert table["Link"] == f'<{described_by}>; rel="describedby"; type="application/csvm+json"'
    content = b"".join(table.streaming_content) if table.streaming else table.content
    (tmp_path / "volumes.csv").write_bytes(content)
    (tmp_path / "volumes.csv-metadata.json").write_text(json.dumps({**document, "url": "volumes.csv"}))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checked = CSVW(str(tmp_path / "volumes.csv-metadata.json"), validate=True)
        assert checked.is_valid, checked.warnings

    header = next(csv.reader(content.decode().splitlines()))
    columns = {column["titles"]: column for column in document["tableSchema"]["columns"]}
    assert [*columns] == header
    assert {title: column["datatype"] for title, column in columns.items() if not title.endswith("_start_at")} == {
        "_id": "string",
        "_timestamp": "dateTime",
        "_end_at": "dateTime",
        "_updated_at": "dateTime",
        "cost": "number",
        "id": "string",
        "is web": "boolean",
        "mixed": "string",
        "name": "string",
        "tags": "json",
    }
    assert columns["cost"]["schema:unitText"] == "GBP"
    assert document["tableSchema"]["primaryKey"] == columns["_id"]["name"]


def test_the_library_finds_a_csv_that_does_not_agree(public, tmp_path):
    from csvw.metadata import CSVW

    document = got("/data/pay/volumes.csv-metadata.json").json()
    next(one for one in document["tableSchema"]["columns"] if one["titles"] == "name")["datatype"] = "number"
    table = got("/data/pay/volumes?format=csv")
    (tmp_path / "volumes.csv").write_bytes(b"".join(table.streaming_content) if table.streaming else table.content)
    (tmp_path / "volumes.csv-metadata.json").write_text(json.dumps({**document, "url": "volumes.csv"}))

    assert not CSVW(str(tmp_path / "volumes.csv-metadata.json"), validate=True).is_valid


@pytest.mark.parametrize("path", PATHS[:2])
def test_private_data_sets_do_not_exist_for_these_documents(path):
    unknown = got(path)
    data_set = make_data_set(**ABOUT)
    token = make_token(data_set, "read")

    private = got(path, Authorization=f"Bearer {token}")

    assert (unknown.status_code, private.status_code) == (404, 404)
    assert private.json() == unknown.json()


def test_a_data_set_leaves_the_catalogue_when_it_is_no_longer_public(public):
    assert len(got("/catalogue.jsonld").json()["dcat:dataset"]) == 1

    DataSet.objects.update(public=False)

    assert got("/catalogue.jsonld").json()["dcat:dataset"] == []
    assert [got(path).status_code for path in PATHS[:2]] == [404, 404]


@pytest.mark.parametrize("path", PATHS)
def test_answers_are_cached_compressed_and_open_to_other_sites(public, path):
    first = got(path, Accept_Encoding="gzip")
    again = got(path, If_None_Match=first["ETag"])
    DataSet.objects.update(description="Other")
    changed = got(path, If_None_Match=first["ETag"])

    assert json.loads(gzip.decompress(first.content)) if first.get("Content-Encoding") else first.json()
    assert first["Access-Control-Allow-Origin"] == "*"
    assert first["Cache-Control"].startswith("max-age=")
    assert (again.status_code, again.content) == (304, b"")
    assert changed.status_code == 200
    assert not first.cookies


@pytest.mark.parametrize("path", PATHS)
def test_other_methods_are_refused_and_options_answers_preflights(public, path):
    preflight = Client().options(path)

    assert (preflight.status_code, preflight["Access-Control-Allow-Methods"]) == (200, "GET, HEAD, OPTIONS")
    assert Client().head(path).status_code == 200
    assert Client().post(path).status_code == 405


def test_an_empty_data_set_without_settings_has_all_three_documents(db):
    make_data_set(public=True)

    documents = [got(path) for path in PATHS]

    assert [answer.status_code for answer in documents] == [200, 200, 200]
    assert documents[1].json()["tableSchema"] == {"columns": []}
    assert "license" not in documents[0].json()
    assert "temporalCoverage" not in documents[0].json()


def test_metadata_follows_new_fields(public):
    before = got(PATHS[1]).json()["tableSchema"]["columns"]
    call("POST", public, make_token(public, "write"), some_records(1, newer=1))

    after = {column["titles"] for column in got(PATHS[1]).json()["tableSchema"]["columns"]}

    assert after - {column["titles"] for column in before} == {"newer", "n"}


def test_a_text_cannot_end_the_data_block_of_a_page():
    entry = CatalogueEntry(url=f"{BASE}/x", title="</script><script>alert(1)</script>", description="<!-- & -->")

    block = schema_org.script(entry, catalogue_url=f"{BASE}/catalogue.jsonld")

    assert block.count("<") == 2
    assert json.loads(block.partition(">")[2].rpartition("<")[0])["name"] == entry.title


def test_a_page_of_the_catalogue_is_one_statement_and_one_for_dashboards(public, django_assert_num_queries):
    for number in range(3):
        make_data_set(type=f"t{number}", public=True)

    with django_assert_num_queries(2):
        got("/catalogue.jsonld")
