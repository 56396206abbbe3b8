/** Starts `child-program.ts` as a separate process, and exchanges messages with it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export type ChildOrder =
  | { readonly do: 'open'; readonly conversationId: string }
  | { readonly do: 'say'; readonly agentId: string; readonly size: number }
  | { readonly do: 'flush'; readonly agentId: string }
  | { readonly do: 'say-for-ever' }
  | { readonly do: 'close' }

export type ChildAnswer =
  | { readonly did: 'open' | 'close' }
  /** All events up to this number are on disk. */
  | { readonly did: 'flush'; readonly agentId: string; readonly seq: number }
  | { readonly did: 'fail'; readonly type: string; readonly message: string }

interface Child {
  readonly pid: number
  /** All answers so far. */
  readonly answers: readonly ChildAnswer[]
  /** Sends a command with a single answer, and resolves to the answer. */
  ask(order: ChildOrder): Promise<ChildAnswer>
  tell(order: ChildOrder): void
  /** Resolves with the next answer. */
  next(): Promise<ChildAnswer>
  /** Sends SIGKILL; resolves when the process is gone and all its output was read. */
  kill(): Promise<void>
}

/** `shell` is put before the command: `ulimit …; exec`. */
export function startChild(dataFolder: string, { shell }: { readonly shell?: string } = {}): Child {
  const command = [process.execPath, join(import.meta.dirname, 'child-program.ts'), dataFolder]
  const child: ChildProcess = shell
    ? spawn('bash', ['-c', `${shell} "$@"`, 'bash', ...command], { stdio: ['pipe', 'pipe', 'inherit'] })
    : spawn(command[0] ?? '', command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
  const { pid, stdin, stdout } = child
  if (pid === undefined || !stdin || !stdout) throw new Error('the child could not be started')
  const gone = Promise.all([once(child, 'exit'), once(stdout, 'close')])
  const kill = async () => {
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  // The process may be killed during a write to it.
  stdin.on('error', () => undefined)

  const answers: ChildAnswer[] = []
  const waiting: ((answer: ChildAnswer) => void)[] = []
  createInterface({ input: stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as ChildAnswer
    answers.push(answer)
    waiting.shift()?.(answer)
  })
  const next = () => new Promise<ChildAnswer>((resolve) => waiting.push(resolve))
  const tell = (order: ChildOrder) => void stdin.write(`${JSON.stringify(order)}\n`)
  return {
    pid,
    answers,
    tell,
    next,
    ask: (order) => {
      const answer = next()
      tell(order)
      return answer
    },
    kill,
  }
}
