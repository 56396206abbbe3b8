/**
 * `npm run conformance`: holds the MCP client against the public conformance suite, in the two revisions of the
 * protocol that it speaks. Needs no network: the suite brings its servers. Prints a table for each revision; the exit
 * code is 1 if a required scenario fails.
 */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

const client = `${process.execPath} ${resolve(import.meta.dirname, 'conformance-client.ts')}`

const RUNS = [
  {
    title: 'Revision 2026-07-28 (suite 0.2.0-alpha.12)',
    suite: 'conformance-next',
    args: ['--requirements', '2026-07-28'],
  },
  {
    title: 'Revision 2025-11-25 and older (suite 0.1.16)',
    suite: '@modelcontextprotocol/conformance',
    args: ['--suite', 'all'],
  },
] as const

/** Sign-ins of enterprises and of workloads: not required. */
const OPTIONAL = /enterprise-managed|cross-app|dpop|wif-jwt/

type Row = readonly [mark: string, name: string, passed: string, failed: string]

function run(suite: string, args: readonly string[]): readonly Row[] {
  const program = resolve('node_modules', suite, 'dist', 'index.js')
  const { stdout } = spawnSync(process.execPath, [program, 'client', '--command', client, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const rows = [...stdout.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed/gm)]
  return rows.map(([, mark = '', name = '', passed = '', failed = '']) => [mark, name, passed, failed])
}

/** The suite runs its scenarios at once, and a busy machine reaches their time limits: a failed one runs again alone. */
function again(suite: string, row: Row): Row {
  const [mark, name] = row
  if (mark === '✓' || OPTIONAL.test(name)) return row
  const program = resolve('node_modules', suite, 'dist', 'index.js')
  const args = [program, 'client', '--command', client, '--scenario', name]
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 })
  const [, passed = '0', failed = '?'] = /Passed: (\d+)\/\d+, (\d+) failed/.exec(stdout) ?? []
  return [stdout.includes('OVERALL: PASSED') ? '✓' : '✗', name, passed, failed]
}

let failures = 0
for (const { title, suite, args } of RUNS) {
  const rows = run(suite, args).map((row) => again(suite, row))
  console.log(`\n${title}\n`)
  for (const [mark, name, passed, failed] of rows) {
    const note = OPTIONAL.test(name) ? '  (optional)' : ''
    console.log(`${mark} ${name.padEnd(45)} ${passed.padStart(3)} passed ${failed.padStart(3)} failed${note}`)
  }
  const required = rows.filter(([, name]) => !OPTIONAL.test(name))
  const good = required.filter(([mark]) => mark === '✓').length
  console.log(`\n${good} of ${required.length} required scenarios`)
  failures += rows.length === 0 ? 1 : required.length - good
}
process.exitCode = failures === 0 ? 0 : 1
