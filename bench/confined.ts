/** A command in the sandbox, alone: what the sandbox adds to it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasSandbox, sandboxedShell } from '../src/main/features/sandbox/testing/sandboxed-shell.ts'
import { createShell } from '../src/main/platform/shell/create-shell.ts'
import { type Figure, median } from './figure.ts'

const RUNS = 60

export async function measure(): Promise<readonly Figure[]> {
  if (!hasSandbox) {
    console.error('Without bubblewrap and socat, no command is confined, and there is nothing to measure.')
    return []
  }
  const confined = sandboxedShell()
  const bare = createShell({ environment: { PATH: process.env['PATH'] ?? '', HOME: confined.home } })
  try {
    confined.git(['init', '--quiet'])
    await writeFile(join(confined.folder, 'file.txt'), 'A line.\n')
    const runs: number[] = []
    const without: number[] = []
    // The first one makes the agent's folders and its network.
    await confined.run('true')
    for (let run = 0; run < RUNS; run++) {
      runs.push(await took(() => confined.run('true')))
      without.push(await took(() => bare.shell.run(commandIn(confined.folder))))
    }
    return [
      {
        name: 'a command in the sandbox, alone: wall time',
        unit: 'ms',
        runs,
        reference: { name: 'the same command without limits', runs: without },
        target: '≤ 12 ms',
        met: median(runs) <= 12,
      },
    ]
  } finally {
    await bare.killAll()
    await confined.close()
  }
}

const commandIn = (cwd: string) => ({
  ...{ command: 'true', cwd, timeoutMs: 60_000, onOutput() {} },
  signal: new AbortController().signal,
})

async function took(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
