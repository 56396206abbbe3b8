/** No external agent outlives a killed Troupe, and neither does what it has started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isRunning } from '../../../platform/system/process-identity.ts'

const HERE = join(import.meta.dirname, 'testing')

test('after a kill neither the program nor its child is left', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-acp-killed-'))
  try {
    const pidFile = join(folder, 'pids')
    const program = spawn(
      process.execPath,
      [join(HERE, 'child-program.ts'), process.execPath, join(HERE, 'example-agent.ts'), folder, pidFile],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(program.stdout, 'data')
    const pids = (await readFile(pidFile, 'utf8')).trim().split('\n').map(Number)
    expect(pids).toHaveLength(2)
    program.kill('SIGKILL')
    const running = async () => {
      const all = await Promise.all(pids.map((pid) => isRunning({ pid, start: 'unknown' })))
      return pids.filter((_, at) => all[at])
    }
    await expect.poll(running).toEqual([])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
