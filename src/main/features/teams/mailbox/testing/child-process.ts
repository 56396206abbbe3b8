/** Starts `child-program.ts` as a separate process, and reads its output. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export type ChildOrder =
  /** Does not wait, so that several commands run at once. */
  | { readonly do: 'put'; readonly writer: string; readonly count: number }
  | { readonly do: 'take' }
  | { readonly do: 'done'; readonly ids: readonly string[] }
  | { readonly do: 'take-for-ever' }

export type ChildMessage =
  | { readonly did: 'put' | 'take' | 'done'; readonly ids: readonly string[] }
  | { readonly did: 'fail'; readonly problem: string }

interface Child {
  tell(order: ChildOrder): void
  /** All ids that the process has reported for this command, in order. */
  did(what: 'put' | 'take' | 'done'): readonly string[]
  readonly problems: readonly string[]
  /** Resolves with the first output that fits, including earlier output. */
  until(holds: () => boolean): Promise<void>
  /** Sends SIGKILL; resolves when the process is gone and all its output was read. */
  kill(): Promise<void>
}

/** `shell` is put before the command: `ulimit …; exec`. */
export function startChild(folder: string, { shell = 'exec' }: { readonly shell?: string } = {}): Child {
  const command = [process.execPath, join(import.meta.dirname, 'child-program.ts'), folder]
  const child = spawn('bash', ['-c', `${shell} "$@"`, 'bash', ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = Promise.all([once(child, 'exit'), once(child.stdout, 'close')])
  const kill = async () => {
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  // The process may be killed during a write to it.
  child.stdin.on('error', () => undefined)

  const said: ChildMessage[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(JSON.parse(line) as ChildMessage)
    for (const check of waiting) check()
  })
  return {
    tell: (order) => void child.stdin.write(`${JSON.stringify(order)}\n`),
    did: (what) => said.flatMap((message) => (message.did === what ? message.ids : [])),
    get problems() {
      return said.flatMap((message) => (message.did === 'fail' ? [message.problem] : []))
    },
    until: (holds) =>
      new Promise((resolve) => {
        const check = () => {
          if (!holds()) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    kill,
  }
}
