"""Two agents that delegate a piece of work over MCP, one step at a time.

The official MCP SDK is the client, so that nothing here shares code with the hub. Each step is announced by one line of JSON on
standard output; before the next one the script waits for a line on standard input, so that whoever started it can look at the
hub in between. Not a load test and no library: it is a script of one delegation, from the request to the applied patch.

    LOGGIA_URL=http://127.0.0.1:8787 LOGGIA_TOKEN=... python delegation.py
"""

import asyncio
import hashlib
import json
import os
import sys
from contextlib import AsyncExitStack

from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

REQUESTER = "mac:claude"
WORKER = "win:codex"
# Below the hub's default, and below the patience of clients that give up after a minute.
WAIT_MS = 20_000

PATCH = """\
diff --git a/src/retry.rs b/src/retry.rs
--- a/src/retry.rs
+++ b/src/retry.rs
@@ -1,4 +1,4 @@
 pub fn pause(attempt: u32) -> Duration {
-    Duration::from_millis(100)
+    Duration::from_millis(100 << attempt.min(6))
 }
 // naïve until now — 重试
"""


class Agent:
    """One connected agent."""

    def __init__(self, name: str, client: Client) -> None:
        self.name = name
        self._client = client

    async def call(self, tool: str, **arguments: object) -> dict:
        """Calls a tool and gives its answer; a refusal ends the script."""
        result = await self._client.call_tool(f"mempalace_{tool}", arguments)
        answer = json.loads(result.content[0].text)
        if result.is_error or "error" in answer:
            raise SystemExit(f"{self.name}: {tool} was refused: {answer}")
        return answer

    async def wait(self, **arguments: object) -> dict:
        """Waits for exactly one event."""
        answer = await self.call("event_wait", from_agent=self.name, timeout_ms=WAIT_MS, **arguments)
        if answer["timed_out"] or answer["count"] != 1:
            raise SystemExit(f"{self.name}: expected one event, got {answer}")
        return answer["events"][0]


async def connect(stack: AsyncExitStack, name: str) -> Agent:
    """Opens a connection of its own for an agent."""
    headers = {"Authorization": f"Bearer {os.environ['LOGGIA_TOKEN']}"}
    http = await stack.enter_async_context(create_mcp_http_client(headers=headers))
    transport = streamable_http_client(f"{os.environ['LOGGIA_URL']}/mcp", http_client=http)
    return Agent(name, await stack.enter_async_context(Client(transport)))


async def told_to_go_on() -> None:
    """Returns at the next line on standard input."""
    line = await asyncio.to_thread(sys.stdin.readline)
    if not line:
        raise SystemExit("standard input was closed before the last step")


def say(step: str, **facts: object) -> None:
    """Announces a step that the hub has acknowledged."""
    print(json.dumps({"step": step, **facts}), flush=True)


async def delegate(requester: Agent, worker: Agent) -> None:
    """The delegation."""
    # Both are waiting before anything happens: what they are woken by is the append itself.
    inbox = asyncio.create_task(worker.wait(to_agent=worker.name, type="task.request"))
    say("connected")
    await told_to_go_on()

    created = await requester.call(
        "task_create",
        project="Retry pauses",
        from_agent=requester.name,
        to_agent=worker.name,
        goal="Grow the pause between retries",
        branch="main",
        base_commit="2668053",
        done="A retry waits twice as long as the one before, at most 6.4 s.",
    )
    correlation = created["task"]["correlation_id"]
    delivery = asyncio.create_task(requester.wait(correlation_id=correlation, type="patch.ready"))
    say("requested", correlation_id=correlation, event_id=created["task"]["id"])
    await told_to_go_on()

    request = await inbox
    assert request["correlation_id"] == correlation, request
    claim = await worker.call(
        "event_ack", event_id=request["id"], from_agent=worker.name, status="claimed", body="Taking it. Reading the retry loop."
    )
    say("claimed", event_id=claim["event"]["id"])
    await told_to_go_on()

    submitted = await worker.call(
        "patch_submit",
        content=PATCH,
        from_agent=worker.name,
        to_agent=requester.name,
        stream=request["stream"],
        correlation_id=correlation,
        branch=request["branch"],
        base_commit=request["base_commit"],
        body="The pause doubles, six times at most.",
    )
    artifact = submitted["artifact"]
    say("delivered", event_id=submitted["event"]["id"], artifact_id=artifact["id"], sha256=artifact["sha256"])
    await told_to_go_on()

    ready = await delivery
    fetched = (await requester.call("artifact_get", artifact_id=ready["artifact_ids"][0]))["artifact"]
    digest = hashlib.sha256(fetched["content"].encode()).hexdigest()
    assert fetched["content"] == PATCH, "the patch changed on its way"
    assert digest == fetched["sha256"] == artifact["sha256"], (digest, fetched["sha256"])
    done = await requester.call(
        "event_ack", event_id=ready["id"], from_agent=requester.name, status="applied", body="Applied as 9f2c1ab, all green."
    )
    say("applied", event_id=done["event"]["id"], sha256=digest)


async def main() -> None:
    """Connects both agents and lets them work."""
    async with AsyncExitStack() as stack:
        requester = await connect(stack, REQUESTER)
        worker = await connect(stack, WORKER)
        await delegate(requester, worker)


if __name__ == "__main__":
    asyncio.run(main())
