/** Runs `child-program.ts` until it ends or is killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ChildLine, ChildOrder } from './child-program.ts'

interface ChildEnd {
  readonly wasKilled: boolean
  readonly lines: readonly ChildLine[]
}

/** Throws with the program's error output if the program failed by itself. */
export async function inOtherProcess(order: ChildOrder): Promise<ChildEnd> {
  const program = join(import.meta.dirname, 'child-program.ts')
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(errors)
  const lines = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ChildLine)
  return { wasKilled: signal === 'SIGKILL', lines }
}
