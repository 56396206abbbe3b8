/** Many processes write to each other while some of them, and the server between them, are killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface TortureMember {
  readonly name: string
  /** The folder of its logs and its outbox, which no other process uses. */
  readonly home: string
  readonly store:
    | { readonly kind: 'maildir'; readonly folder: string }
    | { readonly kind: 'nats'; readonly url: string; readonly lease: number }
  readonly peers: readonly string[]
  /** How many it sends, to one peer after the other. */
  readonly messages: number
}

export interface TortureOptions {
  readonly folder: string
  readonly store: TortureMember['store']
  readonly processes: number
  /** By each process. */
  readonly messages: number
  /** Called when that part of all messages has arrived, in order. */
  readonly disturb: readonly { readonly at: number; readonly run: (torture: Torture) => Promise<void> }[]
}

interface Torture {
  /** Kills a process with SIGKILL and starts it again. */
  restart(index: number): Promise<void>
}

export interface TortureResult {
  /** What each process received, in order, and again. */
  readonly received: readonly (readonly string[])[]
  readonly again: readonly (readonly string[])[]
}

/** Resolves when all messages have arrived. */
export async function torture(options: TortureOptions): Promise<TortureResult> {
  const { folder, processes, messages } = options
  const names = Array.from({ length: processes }, (_, index) => `p-${index}`)
  const members = names.map(
    (name, index): TortureMember => ({
      name,
      home: join(folder, name),
      store: options.store,
      peers: [...names.slice(index + 1), ...names.slice(0, index)],
      messages,
    }),
  )
  const children: ChildProcess[] = []
  const arrived = names.map(() => 0)
  const disturb = [...options.disturb]
  let disturbing = Promise.resolve()
  let failed: unknown = null
  const total = () => arrived.reduce((sum, number) => sum + number, 0)

  await new Promise<void>((resolve, reject) => {
    const check = () => {
      while (disturb[0] !== undefined && total() >= disturb[0].at * processes * messages) {
        const next = disturb.shift()
        disturbing = disturbing.then(() => next?.run({ restart })).catch(reject)
      }
      if (total() === processes * messages && disturb.length === 0) disturbing.then(resolve, reject)
    }
    const start = (index: number) => {
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, 'torture-program.ts'), JSON.stringify(members[index])],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      children[index] = child
      child.on('exit', (code) => {
        if (code !== null) reject(new Error(`${names[index]} ended with ${code}`))
      })
      createInterface({ input: child.stdout }).on('line', (line) => {
        arrived[index] = Number(line)
        check()
      })
    }
    const restart = async (index: number) => {
      await kill(children[index])
      start(index)
    }
    for (const index of names.keys()) start(index)
  }).catch((thrown: unknown) => {
    failed = thrown
  })
  await Promise.all(children.map(kill))
  if (failed !== null) throw failed
  const logs = await Promise.all(
    members.map(async ({ home }) => (await readFile(join(home, 'received'), 'utf8')).trim().split('\n')),
  )
  return {
    received: logs.map((lines) => lines.filter((line) => !line.endsWith(' again'))),
    again: logs.map((lines) => lines.filter((line) => line.endsWith(' again'))),
  }
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
