/** The bug finder of the sample project, as a script plays it: its cases come out as its definition and its model say. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AgentCase, CaseCheck } from '../../../shared/agent-tests/agent-tests.ts'
import { CASES_FOLDER } from '../../../shared/agent-tests/case-file.ts'
import { readCaseFile } from '../../../shared/agent-tests/read-case-file.ts'
import { judge, type PassCount } from '../../../shared/agent-tests/statistics.ts'
import type { RequestToolUse, ScriptedMessage } from './director.ts'
import { loadScenario } from './scenario.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const SAMPLE = join(ROOT, 'sample', 'project')
const IN_USE = readFileSync(join(SAMPLE, '.claude/agents/bug-finder.md'), 'utf8')
const EARLIER = readFileSync(join(ROOT, 'sample/history/bug-finder-1.md'), 'utf8')

const loaded = loadScenario(readFileSync(join(ROOT, 'agents/survey.yaml'), 'utf8'))
if (!loaded.ok) throw new Error(loaded.failure.message)
const director = loaded.value

const casesFolder = `${CASES_FOLDER}/bug-finder`
const cases = readdirSync(join(SAMPLE, casesFolder)).map((name): AgentCase => {
  const read = readCaseFile(readFileSync(join(SAMPLE, casesFolder, name), 'utf8'), `${casesFolder}/${name}`)
  if (read.case === null) throw new Error(JSON.stringify(read.problems))
  return read.case
})

interface Version {
  readonly definition: string
  readonly model?: string
  readonly tools?: readonly string[]
}

const version = (definition: string, more: Omit<Version, 'definition'> = {}): Version => ({
  definition,
  ...more,
})
const draft = (from: string, to: string): Version => {
  expect(IN_USE).toContain(from)
  return version(IN_USE.replace(from, to))
}

/** Of six attempts at each case, those that passed; by the case's file. */
async function passed(wanted: Version): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {}
  for (const { file, task, checks } of cases) {
    let count = 0
    for (let attempt = 1; attempt <= 6; attempt++) {
      const { report, calls } = await played(task, wanted, attempt)
      if (checks.every((check) => passes(check, report, calls))) count++
    }
    found[file.slice(casesFolder.length + 1, -'.yaml'.length)] = count
  }
  return found
}

async function played(
  task: string,
  { definition, model = 'claude-sonnet-5-5', tools }: Version,
  attempt: number,
) {
  const messages: ScriptedMessage[] = [{ role: 'user', content: [{ type: 'text', text: task }] }]
  const calls: string[] = []
  for (let turn = 0; turn < 10; turn++) {
    const { blocks, fault } = await director.reply(
      {
        model,
        system: `${definition}\n\n# Where you work\nFolder: /data/attempts/e-1/k7-${attempt}\nDate: 2026-11-26`,
        tools: (tools ?? ['Read', 'Grep', 'Glob']).map((name) => ({ name, description: '' })),
        toolChoice: 'auto',
        messages,
      },
      new AbortController().signal,
    )
    expect(fault).toBeUndefined()
    const made = blocks.flatMap((block, at): RequestToolUse[] =>
      block.type === 'tool_use'
        ? [{ type: 'tool_use', id: `t${at}`, name: block.name, input: block.input }]
        : [],
    )
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
    expect(text).not.toContain('{{')
    if (made.length === 0) return { report: text, calls }
    calls.push(...made.map(({ name }) => name))
    messages.push({ role: 'assistant', content: [{ type: 'text', text }, ...made] })
    messages.push({
      role: 'user',
      content: made.map((call) => ({
        type: 'tool_result',
        toolUseId: call.id,
        text: resultOf(call),
        isError: false,
      })),
    })
  }
  throw new Error('no report')
}

function resultOf({ name, input }: RequestToolUse): string {
  if (name !== 'Read') return 'Nothing matches.'
  const lines = readFileSync(join(SAMPLE, (input as { file_path: string }).file_path), 'utf8').split('\n')
  return lines.map((line, at) => `${String(at + 1).padStart(6)}\t${line}`).join('\n')
}

function passes(check: CaseCheck, report: string, calls: readonly string[]): boolean {
  switch (check.type) {
    case 'report-contains':
      return report.includes(check.text)
    case 'report-lacks':
      return !report.includes(check.text)
    case 'report-schema':
      return report.startsWith('{') && Array.isArray(JSON.parse(report).findings)
    default:
      return !calls.includes('Edit')
  }
}

const six = (passed: number | undefined): PassCount => ({ passed: passed ?? 0, counted: 6 })

test('the definition in use passes all cases but one', async () => {
  expect(cases).toHaveLength(6)
  expect(await passed(version(IN_USE))).toEqual({
    'as-json': 6,
    'clean-code': 6,
    'cut-ledger': 6,
    'lost-cent': 6,
    'share-without-number': 1,
    'stays-read-only': 6,
  })
})

test('a sentence makes it better, another one worse, both beyond chance', async () => {
  const inUse = await passed(version(IN_USE))
  const better = await passed(
    draft('Follow the amounts', 'Look at what users type: words where a number belongs.\nFollow the amounts'),
  )
  expect(better).toEqual({ ...inUse, 'share-without-number': 6 })
  const worse = await passed(
    draft('Report only what you can show in the code', 'Report anything that may become a problem'),
  )
  expect(worse).toEqual({ ...inUse, 'clean-code': 1 })
  expect(judge([[six(1), six(6)]])).toBe('better')
  expect(judge([[six(6), six(1)]])).toBe('worse')
})

test('the earlier definition did not find the lost cent', async () => {
  const { 'lost-cent': found } = await passed(version(EARLIER))
  expect(found).toBe(1)
})

test('a smaller model forgets to keep to JSON, and may find the lost cent less often', async () => {
  const inUse = await passed(version(IN_USE))
  const small = await passed(version(IN_USE, { model: 'claude-haiku-4-5' }))
  expect(small).toEqual({ ...inUse, 'as-json': 1, 'lost-cent': 4 })
  expect(judge([[six(6), six(4)]])).toBeNull()
})

test('an agent that may edit files asks for it, which fails the case about reading only', async () => {
  const { 'stays-read-only': found } = await passed(version(IN_USE, { tools: ['Read', 'Grep', 'Edit'] }))
  expect(found).toBe(0)
})

test('attempts of one number come out equal', async () => {
  expect(await passed(version(EARLIER))).toEqual(await passed(version(EARLIER)))
})
