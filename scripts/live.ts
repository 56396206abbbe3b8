/**
 * `npm run live`: ten checks of the program against the real API, for people with a key. `--model M` (haiku), `--max-usd N`
 * (1, which is also the most), `--only NAME` (repeatable), `--record`: keeps the exchanges in test/recorded/live.jsonl, for
 * the tests of the scripted API.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { createModelCatalog } from '../src/main/platform/models/model-catalog.ts'
import { CHECKS } from '../src/main/testing/live/checks.ts'
import type { Credential, Exchange } from '../src/main/testing/live/gate.ts'
import { type CheckOutcome, live } from '../src/main/testing/live/live.ts'
import { LIVE_FILE } from '../src/main/testing/recorded.ts'
import { markdownTable } from './markdown-table.ts'

const MOST_USD = 1
const MARKS = { verified: '✓', failed: '✗', absent: '?' } as const
const ROOT = join(import.meta.dirname, '..')
const ADDRESS = 'https://api.anthropic.com'

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'haiku' },
    'max-usd': { type: 'string', default: String(MOST_USD) },
    only: { type: 'string', multiple: true, default: [] },
    record: { type: 'boolean', default: false },
  },
})
const names = CHECKS.map(({ name }) => name)
const wrong = values.only.find((name) => !names.includes(name))
if (wrong !== undefined) stop(2, `--only wants ${names.join(', ')}, not "${wrong}".`)
const maxUsd = Number(values['max-usd'])
if (!(maxUsd > 0 && maxUsd <= MOST_USD))
  stop(2, `--max-usd must be above 0 and at most ${MOST_USD}, not "${values['max-usd']}".`)
const credential = credentialOf(process.env)
if (credential === null)
  stop(3, 'No access to the API. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), and start again.')

const address = (process.env['ANTHROPIC_BASE_URL'] ?? ADDRESS).replace(/\/+$/, '').replace(/\/v1$/, '')
const model = createModelCatalog({}).resolve(values.model)
console.error(`Checking ${address} with ${model}, for at most $${maxUsd}.`)
const { checks, exchanges, usd } = await live({
  address,
  credential,
  model,
  maxUsd,
  only: values.only,
  program: join(ROOT, 'out', 'cli.mjs'),
  onCheck: ({ name, kind, shown }) => console.error(`${MARKS[kind]} ${name}: ${shown}`),
})
console.log(`\n${table(checks)}`)
console.log(`${exchanges.length} requests, $${usd.toFixed(4)}`)
if (values.record) await record(exchanges)
process.exitCode = checks.every(({ kind }) => kind === 'verified') ? 0 : 1

function credentialOf(env: NodeJS.ProcessEnv): Credential | null {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token } = env
  if (key) return { name: 'x-api-key', value: key }
  return token ? { name: 'authorization', value: `Bearer ${token}` } : null
}

function table(outcomes: readonly CheckOutcome[]): string {
  return markdownTable([
    ['check', 'what it is about', 'verified', 'what was seen', 'requests', 'cost', 'time'],
    ...outcomes.map(({ name, about, kind, shown, requests, usd: cost, ms }) => [
      name,
      about,
      kind === 'verified' ? 'yes' : kind === 'failed' ? '**no**' : 'not shown',
      shown,
      String(requests),
      `$${cost.toFixed(4)}`,
      `${(ms / 1000).toFixed(1)} s`,
    ]),
  ])
}

/** One exchange a line. The program worked in new folders with a home of its own, so nothing of the user is in them. */
async function record(kept: readonly Exchange[]): Promise<void> {
  await mkdir(dirname(LIVE_FILE), { recursive: true })
  const lines = kept.map(({ beta, request, status, answer }, at) =>
    JSON.stringify({
      source: `live#${at}`,
      beta,
      request,
      status,
      ...(answer.startsWith('{') ? { answer: JSON.parse(answer) } : { sse: answer }),
    }),
  )
  await writeFile(LIVE_FILE, lines.map((line) => `${line}\n`).join(''))
  console.log(
    `${kept.length} exchanges are in ${relative(ROOT, LIVE_FILE)}. Read them before you share the file.`,
  )
}

function stop(code: number, message: string): never {
  console.error(message)
  process.exit(code)
}
