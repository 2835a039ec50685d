# SPDX-License-Identifier: MIT
"""Pictures of the machine balance and of the memory on the chip over generations."""
import json

import pytest

from dwell import generations


def row(device, measured, balance, **more):
    return {"device": device, "measured": measured, "balance_flops_per_byte": balance, "register_bytes": 2.0**25,
            "shared_bytes": 3 * 2.0**20, "l2_bytes": 40 * 2.0**20, **more}


def modelled(path, precision="f64", **more):
    """A file as `dwell model roofline --json` writes it, as far as the picture needs it."""
    path.write_text(json.dumps({"schema": 1, "document": "model roofline", "precision": precision,
                                "devices": [row("an old chip", False, 9.67), row("a new chip", True, 5.2)], **more}))
    return str(path)


def test_devices_are_read_in_order_with_their_source(tmp_path):
    found = generations.read(modelled(tmp_path / "a.json"))
    assert found.precision == "f64"
    assert found.devices == [("an old chip", False, 9.67, (32, 3, 40)), ("a new chip", True, 5.2, (32, 3, 40))]
    assert [generations.label_of(d) for d in found.devices] == ["an old chip\n(data sheet)", "a new chip"]


def test_a_panel_for_each_precision_and_one_for_the_chip(tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "both.svg"
    files = [modelled(tmp_path / "a.json"), modelled(tmp_path / "b.json", "f32")]
    assert generations.main([*files, "-o", str(out)]) == 0
    drawn = out.read_text()
    for words in ("machine balance, f64", "machine balance, f32", "memory on the chip", "an old chip", "(data sheet)",
                  "measured", "9.67", "75", "registers", "shared memory", "L2", "MiB"):
        assert f"<!-- {words} -->" in drawn or words in drawn, words


@pytest.mark.parametrize("content, words", [
    (None, "No such file"), ("{", "expected the JSON of dwell model roofline"), ('{"schema": 2}', "expected schema 1"),
    ('{"schema": 1, "document": "model sweep"}', "found that of dwell model sweep"),
    (json.dumps({"schema": 1, "document": "model roofline", "precision": "f64", "devices": [row("given", None, 1)]}),
     "expected devices that Dwell knows, found rates that were given"),
])
def test_bad_files_get_one_line(tmp_path, capsys, content, words):
    path = tmp_path / "x.json"
    if content is not None:
        path.write_text(content)
    assert generations.main([str(path), "-o", str(tmp_path / "y.svg")]) == 1
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and not (tmp_path / "y.svg").exists()
