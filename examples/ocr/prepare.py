"""Writes the characters that the model text_reader knows, and a page to read.

usage: prepare.py FOLDER
"""

import os
import sys

from PIL import Image, ImageDraw, ImageFont

LINES = ["NEREID INFERENCE SERVER", "Invoice 2026-11-27", "Three models, one request", "Total: 1,234.56 EUR", "12 lines are not too many"]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """The fields of a protobuf message: number and value."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value = data[at : at + size]
            at += size
        else:
            size = 8 if tag & 7 == 1 else 4
            value = data[at : at + size]
            at += size
        yield tag >> 3, value


def characters(file):
    """What the metadata of an ONNX file names 'character'."""
    with open(file, "rb") as opened:
        for number, value in fields(opened.read()):
            if number == 14:  # ModelProto.metadata_props
                entry = dict(fields(value))
                if entry[1] == b"character":
                    return entry[2]
    raise ValueError(f"{file} has no characters")


def main():
    folder = sys.argv[1]
    reader = os.path.join(folder, "models/text_reader/1/model.onnx")
    with open(os.path.join(folder, "models/ocr/1/characters.txt"), "wb") as out:
        out.write(characters(reader))
    page = Image.new("RGB", (640, 480), "white")
    draw = ImageDraw.Draw(page)
    for i, line in enumerate(LINES):
        draw.text((40, 30 + 85 * i), line, fill="black", font=ImageFont.load_default(28 + 2 * (i % 3)))
    page.save(os.path.join(folder, "page.png"))
    with open(os.path.join(folder, "page.rgb"), "wb") as out:
        out.write(page.tobytes())


main()
