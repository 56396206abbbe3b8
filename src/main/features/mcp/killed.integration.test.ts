/** No server outlives a killed program. `TROUPE_MCP_KILLS` sets the number of rounds. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { isRunning } from '../../platform/system/process-identity.ts'

const ROUNDS = Number(process.env['TROUPE_MCP_KILLS'] ?? 3)
const HERE = resolve(import.meta.dirname, 'testing')

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('no output')
  for await (const line of createInterface({ input: stdout })) return line
  throw new Error('the program ended early')
}

test(`after ${ROUNDS} kills of the program no server and no child of one is left`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-mcp-killed-'))
  const left: number[] = []
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const program = spawn(
        process.execPath,
        [join(HERE, 'child-program.ts'), process.execPath, join(HERE, 'bad-server.mjs'), folder],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      const pids: number[] = JSON.parse(await firstLine(program))
      expect(pids).toHaveLength(2)
      program.kill('SIGKILL')
      left.push(...pids)
    }
    const running = async () => {
      const all = await Promise.all(left.map((pid) => isRunning({ pid, start: 'unknown' })))
      return left.filter((_, at) => all[at])
    }
    await expect.poll(running).toEqual([])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
