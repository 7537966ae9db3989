"""Read the levels of a river and say when to warn."""

import json
import statistics
from dataclasses import dataclass

YELLOW = 125
RED = 160


@dataclass
class Station:
    """A gauge with its latest levels in centimetres."""

    name: str
    levels: list[int]

    def latest(self):
        """Return the last level."""
        return self.levels[-1]

    def rising(self, steps=3):
        """Return whether the level rose in each of the last steps."""
        recent = self.levels[-steps - 1 :]
        return all(before < after for before, after in zip(recent, recent[1:]))


def read(path):
    """Read the stations of a file."""
    with open(path) as file:
        content = json.load(file)
    return [Station(row["name"], row["levels"]) for row in content["stations"]]


def colour(station):
    """Return the colour of the warning."""
    level = station.latest()
    if level >= RED:
        return "red"
    # Yellow a little earlier while the water rises quickly.
    early = 10 if station.rising() else 0
    return "yellow" if level >= YELLOW - early else "green"


def summary(stations):
    """Return one line for the notice board."""
    levels = [station.latest() for station in stations]
    worst = max(stations, key=Station.latest)
    return f"{worst.name} {worst.latest()} cm, mean {statistics.mean(levels):.0f} cm"


if __name__ == "__main__":
    gauges = read("stations.json")
    for gauge in gauges:
        print(gauge.name, colour(gauge))
    print(summary(gauges))
