import { describe, expect, test } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { AgentStop } from '../ports/agent-stop.ts'
import { gate } from '../testing/scripts.ts'
import { AgentHandle, type EndedRun } from './agent-handle.ts'
import type { LiveAgent } from './live-agent.ts'

/** A fake agent with the id and the state that the handle needs. */
function agent(id = 'a-1'): LiveAgent {
  const state = { id, endedAt: null }
  return { id, state: () => state } as unknown as LiveAgent
}

const end = { ms: 1 } as EndedRun

describe('an agent handle', () => {
  test('runs, ends, and is read again from its transcript', async () => {
    const handle = AgentHandle.idle(agent())
    const { opened, open } = gate()
    const done = handle.start(async () => {
      await opened
      handle.end()
      expect([handle.isEnding, handle.isRunning, handle.agent]).toEqual([true, false, null])
      handle.settle()
      return end
    })
    expect([handle.isRunning, handle.isStopping, handle.hasEnded]).toEqual([true, false, false])
    open()
    expect(await done).toBe(end)
    expect([handle.hasEnded, handle.isEnding, handle.done]).toEqual([true, false, null])

    const read = agent()
    expect(
      await handle.withAgent(
        async () => ok(read),
        (loaded) => loaded,
      ),
    ).toEqual(ok(read))
    expect(handle.agent).toBeNull()
  })

  test('keeps a started agent in memory, and unloads one that was only read', async () => {
    const handle = AgentHandle.ended(agent().state())
    await handle.withAgent(
      async () => ok(agent()),
      () => {},
    )
    expect(handle.hasEnded).toBe(true)
    await handle.withAgent(
      async () => ok(agent()),
      () => void handle.start(() => new Promise(() => {})),
    )
    expect(handle.isRunning).toBe(true)
  })

  test('shares one read between callers, and stays ended if the read fails', async () => {
    const handle = AgentHandle.ended(agent().state())
    let reads = 0
    const { opened, open } = gate()
    const read = async () => {
      reads++
      await opened
      return ok(agent())
    }
    const start = () => (handle.isRunning ? 'running' : void handle.start(() => new Promise(() => {})))
    const both = Promise.all([handle.withAgent(read, start), handle.withAgent(read, start)])
    open()
    expect((await both).filter((result) => result.ok && result.value === 'running')).toHaveLength(1)
    expect(reads).toBe(1)

    const damaged = AgentHandle.ended(agent().state())
    const failure = { type: 'damaged', message: 'Line 3 is damaged.' }
    expect(
      await damaged.withAgent(
        async () => fail(failure),
        () => {},
      ),
    ).toEqual(fail(failure))
    expect(damaged.hasEnded).toBe(true)
  })

  test('waits for the end to be written before it reads the transcript', async () => {
    const handle = AgentHandle.idle(agent())
    const { opened, open } = gate()
    void handle.start(async () => {
      handle.end()
      await opened
      handle.settle()
      return end
    })
    let isRead = false
    const acted = handle.withAgent(
      async () => ok(agent()),
      () => {
        isRead = true
      },
    )
    await Promise.resolve()
    expect(isRead).toBe(false)
    open()
    await acted
    expect(isRead).toBe(true)
  })

  test('releases the waiting call when it moves to the background', async () => {
    const handle = AgentHandle.idle(agent())
    void handle.start(() => new Promise(() => {}))
    const detached = handle.awaitReport()
    expect(handle.isAwaited).toBe(true)
    handle.detach()
    await detached
    expect(handle.isAwaited).toBe(false)
  })

  test('stops only the current run', () => {
    const handle = AgentHandle.idle(agent())
    handle.stop(new AgentStop('user'))
    let signal = AbortSignal.abort()
    void handle.start((given) => {
      signal = given
      return new Promise(() => {})
    })
    expect([signal.aborted, handle.isStopping]).toEqual([false, false])
    handle.stop(new AgentStop('user'))
    expect([signal.aborted, handle.isStopping]).toEqual([true, true])
  })

  test('refuses invalid lifecycle transitions', () => {
    const handle = AgentHandle.idle(agent())
    expect(() => handle.end()).toThrow('The agent a-1 is idle, so it cannot end.')
    expect(() => handle.awaitReport()).toThrow('idle')
    expect(() => handle.settle()).toThrow('idle')
    void handle.start(() => new Promise(() => {}))
    expect(() => handle.start(async () => null)).toThrow('The agent a-1 is running, so it cannot start.')
    handle.end()
    expect(() => handle.detach()).toThrow('ending')
    handle.settle()
    expect(() => handle.start(async () => null)).toThrow('ended')
  })
})
