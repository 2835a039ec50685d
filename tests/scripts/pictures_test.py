#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures of docs/pictures that are drawn from figures of a page: pictures_test.py FOLDER."""
import importlib.util
import json
import os
import sys
import unittest

FOLDER = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("draw", os.path.join(FOLDER, "draw.py"))
draw = importlib.util.module_from_spec(spec)
spec.loader.exec_module(draw)


class EbisuLadder(unittest.TestCase):
    def test_its_points_are_those_of_the_page(self):
        rates = draw.ebisu_rates()
        self.assertEqual(rates["2d5pt"]["queue"], {4: 267, 8: 277, 12: 251})
        self.assertEqual(rates["2d9pt"]["queue-registers"], {4: 294, 8: 159})
        self.assertEqual(rates["3d7pt"]["queue-device"], {4: 69, 6: 36})
        self.assertEqual(rates["2d5pt"]["queue-device"], {})
        self.assertEqual(sum(len(of) for stencil in rates.values() for of in stencil.values()), 47)

    def test_every_point_is_below_its_roofs(self):
        with open(os.path.join(FOLDER, "../../execution/device/facts/h100.json"), encoding="utf-8") as file:
            roofs = json.load(file)["rates"]
        for name, (_, plain, streamed) in draw.EBISU_CELLS.items():
            for rung, rates in draw.ebisu_rates()[name].items():
                accesses = streamed if rung in ("queue-registers", "queue-device") else plain
                for depth, rate in rates.items():
                    self.assertLess(rate * 1e9, roofs["shared_bytes_per_s"] / (8 * accesses), (name, rung, depth))
                    self.assertLess(rate * 1e9, depth * roofs["memory_bytes_per_s"] / 16, (name, rung, depth))

    def test_the_picture_is_there_as_it_is_drawn(self):
        with open(os.path.join(FOLDER, "ebisu_ladder.svg"), encoding="utf-8") as file:
            self.assertEqual(file.read(), draw.ebisu_ladder().svg())


unittest.main(argv=sys.argv[:1])
