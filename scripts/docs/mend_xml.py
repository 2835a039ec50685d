# SPDX-License-Identifier: MIT
# What Breathe needs of Doxygen's XML to list a page by files: mend_xml.py FOLDER. Files in the index
# get the path of their compound in place of their bare name, of which there are two of some; and what
# a namespace declares moves to the file that declares it, in place of the namespace as a whole, which
# would be declared once for each of them.
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

ORDER = ("define", "enum", "typedef", "var", "func")

folder = Path(sys.argv[1])
index = xml.parse(folder / "index.xml")
documents, files = {}, {}
for compound in index.getroot().findall("compound"):
    name = folder / f"{compound.get('refid')}.xml"
    if compound.get("kind") == "file":
        documents[name] = xml.parse(name)
        definition = documents[name].getroot().find("compounddef")
        compound.find("name").text = definition.find("location").get("file")
        files[definition.find("location").get("file")] = definition

members = []
for compound in index.getroot().findall("compound"):
    if compound.get("kind") == "namespace":
        name = folder / f"{compound.get('refid')}.xml"
        documents[name] = xml.parse(name)
        for section in documents[name].getroot().iter("sectiondef"):
            kind = section.get("kind").removeprefix("user-defined")
            for member in list(section):
                if member.tag == "memberdef":
                    members.append((kind or "func", member))
                    section.remove(member)

for definition in files.values():
    for inner in definition.findall("innernamespace"):
        definition.remove(inner)
for kind in ORDER:
    for of, member in members:
        if of != kind:
            continue
        file = member.find("location").get("declfile") or member.find("location").get("file")
        if file not in files:
            continue
        definition = files[file]
        section = next((s for s in definition.findall("sectiondef") if s.get("kind") == kind), None)
        if section is None:
            section = xml.Element("sectiondef", {"kind": kind})
            definition.insert(list(definition).index(definition.find("briefdescription")), section)
        section.append(member)

index.write(folder / "index.xml", encoding="utf-8", xml_declaration=True)
for name, document in documents.items():
    document.write(name, encoding="utf-8", xml_declaration=True)
