"""The shuffles of a record checked by its published description alone: none of our code is used here.

python tests/rules/fair_check.py RECORD.json
"""

import hashlib
import hmac
import json
import re
import sys


def hmac_sha256(key, message):
    return hmac.new(key.encode(), message.encode(), hashlib.sha256).digest()


def seed_of_the_shuffles(record):
    words = enumerate(record.get("words") or [], start=1)
    lines = "\n".join(f"{seat}:{word}" for seat, word in words if word)
    return hmac_sha256(record["seed"], lines).hex() if lines else record["seed"]


def ascending(things):
    return sorted(things, key=lambda thing: [int(p) if p.isdecimal() else p for p in re.split(r"(\d+)", thing)])


def shuffled(seed, number, name, things):
    drawn, block = [], 0
    for i in reversed(range(1, len(things))):
        while True:
            if not drawn:
                octets = hmac_sha256(seed, f"{number}/{name}/{block}")
                drawn, block = [int.from_bytes(octets[at : at + 4], "big") for at in range(0, 32, 4)], block + 1
            word = drawn.pop(0)
            if word < 2**32 - 2**32 % (i + 1):
                break
        j = word % (i + 1)
        things[i], things[j] = things[j], things[i]
    return things


def fair(record):
    """Whether the seed is the sealed one, and every shuffle comes from it and from the players' words."""
    seed = seed_of_the_shuffles(record)
    return hashlib.sha256(record["seed"].encode()).hexdigest() == record["commitment"] and all(
        shuffled(seed, number, each["shuffle"], ascending(each["order"])) == each["order"]
        for number, each in enumerate(record["chance"])
    )


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.exit(None if fair(json.load(file)) else "The shuffles do not come from the sealed seed.")
