"""Three Loggia hubs in a ring and a real MemPalace hub beside them, whose links are cut and healed at random while all four are written
to; one Loggia hub is killed and started again. In the end all four must hold the same. Not part of the gate: MemPalace is not installed
there. Python's standard library only.

    python3 mesh.py --loggia PATH --mempalace PATH [--events 10000]
"""

import argparse
import hashlib
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.request

TOKEN = "mesh-token-0123456789"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Link:
    """A TCP relay that can be cut; it begins at a port of its own and ends at a hub's."""

    def __init__(self, far):
        self.far, self.is_open, self.sockets, self.lock = far, True, [], threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            with self.lock:
                if not self.is_open:
                    near.close()
                    continue
                try:
                    far = socket.create_connection(("127.0.0.1", self.far), 5)
                except OSError:
                    near.close()
                    continue
                self.sockets += [near, far]
            # Hubs answer to their own address alone.
            names = (f"127.0.0.1:{self.port}".encode(), f"127.0.0.1:{self.far}".encode())
            threading.Thread(target=self.relay, args=(near, far, names), daemon=True).start()
            threading.Thread(target=self.relay, args=(far, near, None), daemon=True).start()

    @staticmethod
    def relay(a, b, names):
        try:
            a.settimeout(None)
            while data := a.recv(65536):
                b.sendall(data.replace(*names) if names else data)
        except OSError:
            pass
        for s in (a, b):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def set_open(self, is_open):
        with self.lock:
            self.is_open = is_open
            if not is_open:
                for s in self.sockets:
                    try:
                        s.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass
                self.sockets = []


class Hub:
    def __init__(self, root, name, binary, is_loggia):
        self.name, self.binary, self.is_loggia, self.port = name, binary, is_loggia, free_port()
        self.home = os.path.join(root, name)
        self.palace = os.path.join(self.home, "palace")
        os.makedirs(self.palace)

    def start(self):
        env = {"PATH": "/usr/bin:/bin", "HOME": self.home, "LANG": "C.UTF-8", "TZ": "UTC",
               "LOGGIA_TOKEN": TOKEN, "LOGGIA_SYNC_INTERVAL_S": "1",
               "MEMPALACE_MCP_HTTP_TOKEN": TOKEN, "MEMPALACE_SYNC_INTERVAL": "1"}
        command = [self.binary, "serve", "--palace", self.palace, "--host", "127.0.0.1", "--port", str(self.port)]
        log = open(os.path.join(self.home, "log"), "ab")
        self.process = subprocess.Popen(command, env=env, cwd=self.home, stdout=log, stderr=log)
        for _ in range(1200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=2)
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit(f"{self.name} did not start")

    def call(self, tool, arguments):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": {"name": tool, "arguments": arguments}}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/mcp", body,
                                         {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(json.loads(answer.read())["result"]["content"][0]["text"])

    def rows(self, sql):
        db = sqlite3.connect(os.path.join(self.palace, "logstream.sqlite3"), timeout=20)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    def holdings(self):
        events = self.rows(
            "SELECT id, hlc, origin_replica, origin_seq, type, stream, room, topic, from_agent, to_agent, correlation_id, branch, "
            "base_commit, status, body, created_at, metadata_json, (SELECT group_concat(artifact_id) FROM (SELECT artifact_id FROM "
            "event_artifacts WHERE event_id = e.id ORDER BY 1)) FROM events e ORDER BY hlc, id")
        artifacts = self.rows("SELECT id, sha256, content, kind, size_bytes, created_by, created_at, metadata_json FROM artifacts ORDER BY id")
        return events, artifacts


def write(hub, count, acknowledged):
    done = n = 0
    while done < count:
        n += 1
        try:
            if n % 5 == 0:
                answer = hub.call("mempalace_patch_submit", {
                    "stream": "mesh", "from_agent": hub.name, "to_agent": "*", "base_commit": "abcdef1", "branch": "b",
                    "content": f"--- a\n+++ b\n@@ {hub.name} {n} é😀\n", "body": "p", "metadata": {"n": n, "f": 1.0}})
            else:
                answer = hub.call("mempalace_event_append", {
                    "type": "t.x", "stream": "mesh", "room": "r", "from_agent": hub.name, "body": f"{hub.name} {n} 画廊",
                    "correlation_id": f"c{n % 50}", "status": ["open", "claimed", "ready", "applied"][n % 4]})
            acknowledged.append(answer["event"]["id"])
            done += 1
        except (OSError, ValueError):
            time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loggia", required=True)
    parser.add_argument("--mempalace", required=True)
    parser.add_argument("--events", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random.seed(args.seed)
    with tempfile.TemporaryDirectory() as root:
        hubs = [Hub(root, name, args.loggia, True) for name in ("a", "b", "c")] + [Hub(root, "m", args.mempalace, False)]
        wires = [(0, 1), (1, 2), (2, 0), (0, 3), (3, 0)]
        links = [Link(hubs[to].port) for _, to in wires]
        for at, hub in enumerate(hubs):
            peers = [{"name": hubs[to].name, "url": f"http://127.0.0.1:{link.port}", "token": TOKEN}
                     for (of, to), link in zip(wires, links) if of == at]
            with open(os.path.join(hub.palace, "peers.json"), "w") as file:
                json.dump({"peers": peers}, file)
        try:
            for hub in hubs:
                hub.start()
            run(hubs, links, args.events)
        finally:
            for hub in hubs:
                if getattr(hub, "process", None):
                    hub.process.kill()
                    hub.process.wait()


def run(hubs, links, events):
    begun, acknowledged, stop = time.time(), [], threading.Event()

    def chaos():
        turn = 0
        while not stop.is_set():
            random.choice(links).set_open(random.random() < 0.4)
            turn += 1
            if turn == 10:
                hubs[2].process.send_signal(signal.SIGKILL)
                hubs[2].process.wait()
                hubs[2].start()
            time.sleep(0.3)

    threading.Thread(target=chaos, daemon=True).start()
    writers = [threading.Thread(target=write, args=(hub, events // 4, acknowledged)) for hub in hubs]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    stop.set()
    time.sleep(1)
    for link in links:
        link.set_open(True)
    written = time.time()
    print(f"{len(acknowledged)} events acknowledged in {written - begun:.1f} s; links healed")
    while time.time() - written < 120:
        vectors = [dict(hub.rows("SELECT origin_replica, max(origin_seq) FROM events GROUP BY 1")) for hub in hubs]
        if all(vector == vectors[0] for vector in vectors) and len(vectors[0]) == 4:
            break
        time.sleep(0.2)
    else:
        for hub, vector in zip(hubs, vectors):
            print(hub.name, vector)
            request = urllib.request.Request(f"http://127.0.0.1:{hub.port}/sync/peers", headers={"Authorization": f"Bearer {TOKEN}"})
            print(json.dumps(json.loads(urllib.request.urlopen(request, timeout=60).read())["peers"], indent=1))
        raise SystemExit("the hubs do not agree")
    print(f"vectors equal {time.time() - written:.1f} s after the last link was healed")
    held = [hub.holdings() for hub in hubs]
    for hub, (own, artifacts) in zip(hubs, held):
        bad = [a[0] for a in artifacts if hashlib.sha256(a[2].encode()).hexdigest() != a[1]]
        same = (own, artifacts) == held[0]
        print(f"{hub.name}: {len(own)} events, {len(artifacts)} artifacts, wrong hashes {len(bad)}, same as a: {same}")
        if not same:
            ids = {row[0] for row in own} ^ {row[0] for row in held[0][0]}
            pairs = [(x, y) for x, y in zip(held[0][0], own) if x != y]
            print(f"  differing ids {len(ids)}, first differing rows {pairs[:1]}")
        assert same and not bad
    assert set(acknowledged) <= {row[0] for row in held[0][0]}
    for hub in hubs[:3]:
        done = subprocess.run([hub.binary, "--palace", hub.palace, "verify"], capture_output=True, text=True)
        print(f"{hub.name}: verify: {done.stdout.strip()} {done.stderr.strip()}")
        assert done.returncode == 0
    print("all four hold the same")


if __name__ == "__main__":
    main()
