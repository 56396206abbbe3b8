/** The set-up of a worktree after another one with the same inputs: `npm ci` of 300 packages, 500 MB in 30,000 files. */
import { execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type EnvironmentBench,
  environmentBench,
} from '../src/main/features/environments/testing/environment-bench.ts'
import { type Figure, median } from './figure.ts'

const PACKAGES = 300
const FILES = 100
/** Bytes of each. */
const SIZE = 17_000
const RUNS = 3
/** Of the first set-up. */
const TARGET = 0.1

export async function measure(): Promise<readonly Figure[]> {
  const names = Array.from({ length: PACKAGES }, (_, at) => `part-${at}`)
  const bench = await environmentBench({
    '.troupe/environment.yaml': 'setup: npm ci --offline --no-audit --no-fund\n',
    '.gitignore': 'node_modules\n',
    'package.json': JSON.stringify({
      ...{ name: 'shop', version: '1.0.0' },
      dependencies: Object.fromEntries(names.map((name) => [name, `file:vendor/${name}.tgz`])),
    }),
  })
  try {
    await packAll(bench.folder, names)
    const environment = { PATH: process.env['PATH'], HOME: join(bench.base, 'home') }
    execFileSync('npm', ['install', '--package-lock-only', '--offline', '--no-audit', '--no-fund'], {
      ...{ cwd: bench.folder, env: environment, stdio: 'pipe' },
    })
    await bench.commit()
    await bench.approve()
    const first = await setUp(bench, 'First', false)
    const others: number[] = []
    for (let run = 0; run < RUNS; run++) others.push(await setUp(bench, `Other${run}`, true))
    return [
      {
        name: 'The set-up of a second worktree with the same lock file, `npm ci` of 500 MB in 30,000 files',
        unit: 'ms',
        runs: others,
        reference: { name: 'the first worktree', runs: [first] },
        target: '≤ 0.1 ×',
        met: median(others) <= first * TARGET,
      },
    ]
  } finally {
    await bench.close()
  }
}

/** Packages with text of their own, as files of `vendor`. */
async function packAll(folder: string, names: readonly string[]): Promise<void> {
  const vendor = join(folder, 'vendor')
  const made = join(vendor, 'package')
  await mkdir(vendor)
  for (const name of names) {
    await mkdir(join(made, 'lib'), { recursive: true })
    await writeFile(join(made, 'package.json'), JSON.stringify({ name, version: '1.0.0' }))
    for (let file = 0; file < FILES; file++) {
      const line = `export const ${name.replace('-', '_')}_${file} = ${file}\n`
      await writeFile(join(made, 'lib', `file-${file}.js`), line.repeat(Math.ceil(SIZE / line.length)))
    }
    execFileSync('tar', ['-czf', `${name}.tgz`, 'package'], { cwd: vendor })
    await rm(made, { recursive: true })
  }
}

/** @returns how long it took, ms */
async function setUp(bench: EnvironmentBench, task: string, isShared: boolean): Promise<number> {
  await (await bench.agent(task, 'true', `echo ${task} > ${task}.txt`)).done
  const row = (await bench.rows()).find(({ id }) => id.startsWith(task.toLowerCase()))
  const setup = row?.state.setup
  if (setup?.kind !== 'ready' || 'shared' in setup !== isShared)
    throw new Error(`The set-up of ${task} is not as it should be: ${JSON.stringify(setup)}`)
  return setup.tookMs
}
