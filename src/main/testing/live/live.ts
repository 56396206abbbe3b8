/** Runs the checks one after the other with the built program, and sums them up. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { messageOf } from '../../../shared/kernel/result.ts'
import type { ResultLine } from '../../features/run/run-outcome.ts'
import { createAnthropicClient } from '../../platform/models/anthropic-client.ts'
import { createSystemClock } from '../../platform/system/machine-time.ts'
import { CHECKS, type Check, type Run, type Verdict } from './checks.ts'
import { type Credential, type Exchange, type Gate, openGate } from './gate.ts'

export interface LiveOptions {
  /** The API's address, without a slash at the end. */
  readonly address: string
  readonly credential: Credential
  /** A full id. */
  readonly model: string
  readonly maxUsd: number
  /** Names of checks; empty: all. */
  readonly only: readonly string[]
  /** The command line's file. */
  readonly program: string
  /** Settings of the program beside those of the checks. */
  readonly settings?: object
  /** Called after each check. */
  readonly onCheck?: (outcome: CheckOutcome) => void
}

export interface CheckOutcome extends Verdict {
  readonly name: string
  readonly about: string
  readonly requests: number
  readonly usd: number
  readonly ms: number
}

export interface LiveOutcome {
  readonly checks: readonly CheckOutcome[]
  readonly exchanges: readonly Exchange[]
  readonly usd: number
}

/** ms after which a run is ended: the API may be slow, a check may not wait for ever. */
const LONGEST_RUN = 300_000

export async function live(options: LiveOptions): Promise<LiveOutcome> {
  const gate = await openGate(options)
  const checks: CheckOutcome[] = []
  try {
    for (const check of CHECKS.filter(
      ({ name }) => options.only.length === 0 || options.only.includes(name),
    )) {
      const outcome = await carryOut(check, gate, options)
      checks.push(outcome)
      options.onCheck?.(outcome)
    }
    return { checks, exchanges: gate.exchanges, usd: gate.spentUsd() }
  } finally {
    await gate.close()
  }
}

async function carryOut(check: Check, gate: Gate, options: LiveOptions): Promise<CheckOutcome> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'troupe-live-')))
  const [folder, home, dataFolder] = [join(base, 'project'), join(base, 'home'), join(base, 'data')]
  const word = `w${randomBytes(4).toString('hex')}`
  const before = { requests: gate.exchanges.length, usd: gate.spentUsd(), at: performance.now() }
  try {
    await Promise.all([folder, home, dataFolder].map((path) => mkdir(path)))
    const settings = { trustedFolders: [folder], ...options.settings }
    await writeFile(join(dataFolder, 'settings.json'), JSON.stringify(settings))
    for (const [name, text] of Object.entries(check.files?.(word) ?? {}))
      await writeFile(join(folder, name), text)
    const verdict = await check.check({
      folder,
      model: options.model,
      word,
      models: () => listModels(gate),
      exchanges: () => gate.exchanges.slice(before.requests),
      run: (words, { key = gate.key, interrupt } = {}) =>
        runProgram([options.program, 'run', '--json', '--model', options.model, ...words], {
          cwd: folder,
          env: {
            PATH: process.env['PATH'],
            HOME: home,
            TROUPE_HOME: dataFolder,
            ANTHROPIC_BASE_URL: gate.baseUrl,
            ANTHROPIC_API_KEY: key,
          },
          onStarted: (stop) => interrupt && gate.onAnswer(stop),
        }),
    })
    return outcomeOf(verdict)
  } catch (error) {
    return outcomeOf({ kind: 'failed', shown: messageOf(error) })
  } finally {
    await rm(base, { recursive: true, force: true, maxRetries: 5 })
  }

  function outcomeOf(verdict: Verdict): CheckOutcome {
    return {
      ...verdict,
      name: check.name,
      about: check.about,
      requests: gate.exchanges.length - before.requests,
      usd: gate.spentUsd() - before.usd,
      ms: performance.now() - before.at,
    }
  }
}

async function listModels({ baseUrl, key }: Gate): Promise<readonly string[]> {
  const client = createAnthropicClient({ apiKey: key, baseUrl, clock: createSystemClock() })
  const listed = await client.listModels(AbortSignal.timeout(LONGEST_RUN))
  if (!listed.ok) throw new Error(listed.failure.message)
  return listed.value.map(({ id }) => id)
}

interface RunPlace {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly onStarted: (interrupt: () => void) => void
}

async function runProgram(words: readonly string[], { cwd, env, onStarted }: RunPlace): Promise<Run> {
  const child = spawn(process.execPath, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const longest = setTimeout(() => child.kill('SIGINT'), LONGEST_RUN)
  onStarted(() => child.kill('SIGINT'))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  clearTimeout(longest)
  const lines = output
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as AgentEvent | ResultLine)
  const last = lines.at(-1)
  const result = last?.type === 'result' ? last : null
  return { code, errors, result, events: lines.filter((line): line is AgentEvent => line.type !== 'result') }
}
