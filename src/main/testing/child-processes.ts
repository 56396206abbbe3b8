/** A backing whose agents run in real child processes, one process for each epoch. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Result } from '../../shared/kernel/result.ts'
import { textOf } from '../../shared/messages/text-of.ts'
import {
  type AgentBacking,
  type BackedAgent,
  type IngestFailure,
  plainBacking,
} from '../runtime/ports/agent-backing.ts'
import type { RunEnd } from '../runtime/ports/run-end.ts'

const WORKER = join(import.meta.dirname, 'child-process.mjs')
const NAME = 'child-process'

/** The result for one event that a process sent. */
interface Arrival {
  readonly epoch: number
  readonly result: Result<boolean, IngestFailure>
}

export interface ChildProcesses {
  backing(agent: BackedAgent): AgentBacking
  /** Starts another process for the agent while the older ones keep running. @returns its epoch */
  takeOver(): number
  /** Sends a command to the process of an epoch, and resolves with the result for its next event. */
  tell(epoch: number, command: { readonly type: string; readonly [field: string]: unknown }): Promise<Arrival>
  /** Ends the run with this report. */
  end(epoch: number, text: string): void
  close(): void
}

export function createChildProcesses(): ChildProcesses {
  const processes = new Map<number, ChildProcessWithoutNullStreams>()
  const arrivals = new Set<(arrival: Arrival) => void>()
  let current: { readonly agent: BackedAgent; readonly finish: (end: RunEnd) => void } | null = null

  function send(epoch: number, command: object): void {
    processes.get(epoch)?.stdin.write(`${JSON.stringify(command)}\n`)
  }

  function newest(): number {
    return Math.max(...processes.keys())
  }

  function receive(agent: BackedAgent, line: string): void {
    const sent = JSON.parse(line) as {
      readonly epoch: number
      readonly event?: unknown
      readonly end?: string
    }
    const { epoch, event, end } = sent
    if (end !== undefined) {
      current?.finish({ kind: 'answered', text: end, reachedLimit: null })
      return
    }
    const result = agent.ingest({ agentId: agent.id, backing: NAME, epoch }, event)
    for (const arrived of arrivals) arrived({ epoch, result })
  }

  function startProcess(agent: BackedAgent): number {
    const { epoch, seq } = agent.takeOver()
    const child = spawn(process.execPath, [WORKER])
    processes.set(epoch, child)
    createInterface({ input: child.stdout }).on('line', (line) => receive(agent, line))
    agent.takeMessages()
    send(epoch, { type: 'start', agentId: agent.id, epoch, seq, messages: agent.messages().length })
    return epoch
  }

  return {
    backing: (agent) => ({
      ...plainBacking(
        NAME,
        (signal) =>
          new Promise((resolve) => {
            current = { agent, finish: resolve }
            signal.addEventListener('abort', () => resolve({ kind: 'stopped' }), { once: true })
            startProcess(agent)
          }),
      ),
      send: () => {
        for (const { content } of agent.takeMessages())
          send(newest(), { type: 'message', text: textOf(content) })
      },
      pause: (paused) => send(newest(), { type: 'pause', paused }),
      answer: (requestId, { decision }) => {
        const isOpen = agent.state().requests.some((request) => request.requestId === requestId)
        if (isOpen) send(newest(), { type: 'answer', decision })
        return isOpen
      },
    }),
    takeOver: () => {
      if (!current) throw new Error('No agent runs in a child process.')
      return startProcess(current.agent)
    },
    tell: (epoch, command) =>
      new Promise((resolve) => {
        const arrived = (arrival: Arrival) => {
          if (arrival.epoch !== epoch) return
          arrivals.delete(arrived)
          resolve(arrival)
        }
        arrivals.add(arrived)
        send(epoch, command)
      }),
    end: (epoch, text) => send(epoch, { type: 'end', text }),
    close: () => {
      for (const child of processes.values()) child.kill('SIGKILL')
    },
  }
}
