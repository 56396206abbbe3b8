/** The docs that users and the guide agent read are complete. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentSources } from '../shared/agent-definition/agent-catalog.ts'
import { definitionFields } from '../shared/agent-definition/definition-fields.ts'
import { LARGEST_MESSAGE } from '../shared/messages/message-limits.ts'
import { permissionModes } from '../shared/permissions/permission-modes.ts'
import { checkRule } from '../shared/rules/rule-form.ts'
import { toolFacts } from '../shared/tools/tool-facts.ts'
import { helpText } from './platform/command-line/command-table.ts'
import { EXIT } from './platform/command-line/terminal.ts'
import { judgeCall, verdict } from './runtime/permissions/testing/judge.ts'
import { LARGEST_SENT_MESSAGE } from './runtime/tools/send-message.ts'
import { type ToolPorts, ToolRegistry } from './runtime/tools/tool-registry.ts'
import { verbs } from './verbs.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'docs/using')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

/** Files of the built-in agents; the survey's scenario lies beside them. */
const definitions = () => readdirSync(join(root, 'agents')).filter((name) => name.endsWith('.md'))

describe('the docs for users', () => {
  test('describe every key of a definition, by all its names', () => {
    const text = read('agents.md')
    const keys = definitionFields.flatMap(({ key, also }) => [key, ...also])
    const short = keys.map((key) => key.replace('criticalSystemReminder_EXPERIMENTAL', '…_EXPERIMENTAL'))
    expect(short.filter((key) => !text.includes(`\`${key}\``))).toEqual([])
  })

  test('describe every built-in agent', () => {
    const names = definitions().map((name) => name.replace(/\.md$/, ''))
    const text = read('agents.md')
    expect(names.filter((name) => !text.includes(`| ${name} `))).toEqual([])
  })

  test('describe every tool, with its aliases, and no other', () => {
    const section = between(read('agents.md'), '## Tools\n', '\n- ')
    const tools = new ToolRegistry({ pages: {} } as ToolPorts).builtIn()
    const named = [...section.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    expect(named.toSorted()).toEqual(tools.map(({ name }) => name).toSorted())
    const aliases = [...section.matchAll(/(\w+) \((\w+)\)/g)].map(([, alias = '', name]) => [alias, name])
    for (const [alias = '', name = ''] of aliases)
      expect(toolFacts(name)?.aliases, alias).toContain(alias.toLowerCase())
    const described = aliases.map(([alias = '']) => alias.toLowerCase())
    const known = tools.flatMap(({ name }) => toolFacts(name)?.aliases ?? [])
    expect(known.filter((alias) => !described.includes(alias))).toEqual([])
  })

  test('list the sources of definitions from the least to the most important', () => {
    const section = between(read('agents.md'), '## Where definitions are read from', '\n## ')
    const rows = [...section.matchAll(/^\| ([a-z][a-z -]*?) +\|/gm)].map(([, source = '']) =>
      source.replace(' ', '-'),
    )
    expect(rows.slice(1)).toEqual(agentSources)
  })

  test('state the limits of a message', () => {
    const text = read('messages.md')
    expect(text).toContain(`at most ${LARGEST_SENT_MESSAGE.toLocaleString('en-US')} characters`)
    expect(text).toContain(`at most ${LARGEST_MESSAGE / 1024 / 1024} MB`)
  })

  test('describe every permission mode', () => {
    const text = read('permissions.md')
    expect(permissionModes.filter((mode) => !text.includes(`\`${mode}\``))).toEqual([])
  })

  test('show rules with calls that they cover and calls that they do not', async () => {
    const rows = tableRows(between(read('permissions.md'), '### Forms', '\n**Commands.**'))
    expect(rows.length).toBeGreaterThan(10)
    for (const [rules = [], covered = [], others = []] of rows)
      for (const rule of rules) {
        expect([rule, checkRule(rule, 'allow')]).toEqual([rule, { ok: true, note: null }])
        for (const call of covered)
          expect([rule, call, await verdict(judgeCall(call, { rules: [rule] }))]).toEqual([
            rule,
            call,
            'allow',
          ])
        for (const call of others)
          expect([rule, call, await verdict(judgeCall(call, { rules: [rule] }))]).toEqual([rule, call, 'ask'])
        for (const call of [...covered, ...others])
          expect([call, await verdict(judgeCall(call))]).toEqual([call, 'ask'])
      }
  })

  test('show refused rules with what to write instead', () => {
    const rows = tableRows(between(read('permissions.md'), '### Mistakes', '\n`permissions.additional'))
    expect(rows.length).toBeGreaterThan(5)
    for (const [[text = ''] = [], [instead] = []] of rows)
      expect([text, checkRule(text, 'deny')]).toEqual([text, expect.objectContaining({ ok: false, instead })])
  })

  test('link only to existing files, and the README links to every file', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.md'))
    const links = files.flatMap((name) =>
      [...read(name).matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => ({ name, path })),
    )
    expect(links.filter(({ path }) => !existsSync(join(folder, path)))).toEqual([])
    const listed = links.filter(({ name }) => name === 'README.md').map(({ path }) => path)
    expect(files.filter((name) => name !== 'README.md' && !listed.includes(name))).toEqual([])
  })

  test('link only to headings that exist', () => {
    const anchorsOf = (path: string) =>
      [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(' ', '-'),
      )
    const missing = readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) =>
        [...read(name).matchAll(/\]\(([\w./-]*)#([^)]+)\)/g)]
          .filter(([, path, anchor = '']) => !anchorsOf(join(folder, path || name)).includes(anchor))
          .map(([link]) => `${name}: ${link}`),
      )
    expect(missing).toEqual([])
  })
})

describe('the command line’s help and docs', () => {
  const help = helpText(verbs, null)
  const options = new Set(['help', 'version', ...verbs.flatMap((verb) => Object.keys(verb.options))])
  const optionsIn = (text: string) =>
    new Set([...text.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map(([, name]) => name))

  test('the help lists exactly the options that exist', () => {
    // The program itself passes `--access` to the workers that it starts.
    expect([...optionsIn(help), 'access'].toSorted()).toEqual([...options].toSorted())
  })

  test('the docs mention only options that exist', () => {
    const text = read('command-line.md')
    expect([...optionsIn(text)].filter((name) => !options.has(`${name}`))).toEqual(['silent'])
  })

  test('the docs list exactly the exit codes', () => {
    const rows = [...read('command-line.md').matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code))
    expect(rows).toEqual(Object.values(EXIT))
    const [, listed = ''] = /Exit codes: (.*)/.exec(help) ?? []
    expect([...listed.matchAll(/(?:^|, )(\d+) /g)].map(([, code]) => Number(code))).toEqual(
      Object.values(EXIT),
    )
  })
})

describe('the README', () => {
  const text = readFileSync(join(root, 'README.md'), 'utf8')

  test('names exactly the built-in agents that a user can choose', () => {
    const sentence = between(text, 'The program includes', '[`agents/`]')
    const named = [...sentence.matchAll(/`([\w-]+)`/g)].map(([, name]) => name)
    const hidden = definitions().filter((name) =>
      /^hidden: true$/m.test(readFileSync(join(root, 'agents', name), 'utf8')),
    )
    const offered = definitions().filter((name) => !hidden.includes(name))
    expect(named.toSorted()).toEqual(offered.map((name) => name.replace(/\.md$/, '')).toSorted())
  })

  test('lists the sources of definitions from the least to the most important', () => {
    const sentence = between(text, 'It reads yours from', 'a later source shadows')
    const words: Record<(typeof agentSources)[number], string> = {
      'built-in': '',
      plugin: 'plugins',
      user: '`~/.claude/agents`',
      project: '`.claude/agents` of a trusted project',
      'command-line': 'the command line',
      managed: 'your administrator',
    }
    const places = agentSources.map((source) => sentence.indexOf(words[source]))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
  })

  test('mentions only options that exist', () => {
    const known = verbs.flatMap((verb) => Object.keys(verb.options))
    const named = [...text.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !['silent', 'help', ...known].includes(name))).toEqual([])
  })
})

/** The code spans in each cell of a table, without its head. */
function tableRows(text: string): readonly (readonly (readonly string[])[])[] {
  const rows = text.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll('\\|', '|'))),
  )
}

function between(text: string, start: string, end: string): string {
  const [, after] = text.split(start)
  if (after === undefined) throw new Error(`The docs lack "${start}"`)
  return after.split(end)[0] ?? ''
}
