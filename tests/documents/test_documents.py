"""Every result is a document: of a kind, after a schema, and the same again when it is read."""

import json
import math

import jsonschema
import pytest

import halfulp
from halfulp.documents import KINDS, read_document, read_result, restored, schema_of
from halfulp.documents.schema_writer import descriptions, schema_text
from halfulp.errors import InputError


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_those_of_the_classes(kind):
    """`python -m halfulp.documents.schema_writer` writes them."""
    assert json.loads(schema_text(KINDS[kind])) == schema_of(kind)
    jsonschema.Draft202012Validator.check_schema(schema_of(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_results_follow_their_schema_and_come_back(kind, results, tmp_path):
    text = results[kind].to_json()
    content = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    jsonschema.Draft202012Validator(schema_of(kind)).validate(content)
    assert (content["kind"], content["schema"]) == (kind, KINDS[kind].schema)
    (tmp_path / "result.json").write_text(text)
    again = read_result(tmp_path / "result.json")
    assert isinstance(again, KINDS[kind].result_class())
    assert again.to_json() == text
    assert halfulp.report(again) == halfulp.report(results[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_or_wrong_field_is_named(kind, results):
    content = json.loads(results[kind].to_json())
    fields = [name for name in descriptions(KINDS[kind].result_class()) if name in content]
    for name in fields:
        with pytest.raises(InputError, match=f"of kind {kind} whose {name}.*is not valid"):
            restored(kind, {**content, name: object()})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "which is not JSON"),
        ("[" * 100_000, "which is not JSON"),
        ("[]", "JSON without a kind"),
        ("null", "JSON without a kind"),
        ('{"kind": 3}', "JSON of kind 3|without a kind"),
        ('{"kind": "poem", "schema": 1}', "JSON of kind 'poem'"),
        ('{"kind": "check"}', "of kind check, schema None. Needed: schema 1"),
        ('{"kind": "check", "schema": 2}', "of kind check, schema 2. Needed: schema 1"),
        ('{"kind": "check", "schema": 1}', "not valid: Field required"),
    ],
)
def test_what_is_no_document_is_refused(tmp_path, text, words):
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        read_result(file)


def test_files_that_cannot_be_read_and_other_kinds_are_refused(tmp_path, results):
    with pytest.raises(InputError, match="can't be read"):
        read_document(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8 text"):
        read_document(tmp_path / "bytes.json")
    with pytest.raises(InputError, match="a document of kind audit. Needed: one of kind check"):
        restored("check", json.loads(results["audit"].to_json()))
    with pytest.raises(InputError, match="Got kind 'poem'"):
        schema_of("poem")


def test_numbers_that_json_lacks_survive(results):
    difference = results["comparison"].differences[0]
    again = restored("comparison", json.loads(results["comparison"].to_json()))
    assert again.to_json() == results["comparison"].to_json()
    assert math.isnan(again.differences[0].worst_abs[0].actual) == math.isnan(difference.worst_abs[0].actual)
    assert again.differences[0].max_rel == difference.max_rel


def test_undescribed_fields_are_found():
    import dataclasses

    @dataclasses.dataclass
    class Half:
        """Half.

        Attributes:
            one, two: described. three: too.
        """

        one: int
        two: int
        three: int
        four: int

    with pytest.raises(LookupError, match="four"):
        descriptions(Half)
