/**
 * Reads the file of a case: YAML whose keys are the words of `AgentCase`. A text with any mistake is no case: a check that
 * was misspelled must not pass by never being made.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { sentence } from '../kernel/result.ts'
import { similarNames } from '../kernel/similar-names.ts'
import { beyondYamlBounds } from '../kernel/yaml-bounds.ts'
import { checkRule, refusalText } from '../rules/rule-form.ts'
import type {
  AgentCase,
  CaseCheck,
  CaseLimits,
  CasePermissions,
  CaseProblem,
  CaseStart,
} from './agent-tests.ts'

export interface ReadCase {
  /** Null: there are problems. */
  readonly case: AgentCase | null
  readonly problems: readonly CaseProblem[]
}

/** @param file the path of the file, with `/`: its name names the case, its folder the agent */
export function readCaseFile(text: string, file: string): ReadCase {
  const problems: CaseProblem[] = []
  const beyond = beyondYamlBounds(text)
  if (beyond !== null) return { case: null, problems: [{ file, line: null, message: `${beyond}.` }] }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' })
  const lineAt = (offset: number) => lines.linePos(offset).line
  for (const { code, pos, message } of document.errors)
    problems.push({
      file,
      line: lineAt(pos[0]),
      message: code === 'DUPLICATE_KEY' ? DUPLICATE : `This is not YAML: ${sentence(message)}`,
    })
  if (problems.length > 0) return { case: null, problems }
  const report: Report = (node, message) =>
    problems.push({ file, line: node?.range ? lineAt(node.range[0]) : null, message })
  const read = caseOf({ document, report }, file)
  const inOrder = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  return { case: inOrder.length === 0 ? read : null, problems: inOrder }
}

const DUPLICATE = 'This key stands here twice. Keep one of them: only one could count.'

type Report = (node: Node | null | undefined, message: string) => void

interface Source {
  readonly document: Document.Parsed
  readonly report: Report
}

const caseKeys = ['name', 'task', 'start', 'role', 'checks', 'limits', 'permissions'] as const

function caseOf(source: Source, file: string): AgentCase | null {
  const { document, report } = source
  const values = mapOf(source, document.contents, { what: 'A case', keys: caseKeys })
  if (values === null) return null
  const [agent = '', base = ''] = file.split('/').slice(-2)
  const name = values.has('name') ? textOf(source, values.get('name'), 'name') : null
  const task = values.has('task') ? textOf(source, values.get('task'), 'task') : null
  if (!values.has('task')) report(document.contents, 'A case needs “task”: what the agent is told.')
  const checks = checksOf(source, values.get('checks'))
  if (checks.length === 0 && !values.has('checks'))
    report(document.contents, 'A case needs “checks”: without one, every attempt would pass.')
  return {
    file,
    agent,
    name: name ?? base.replace(/\.ya?ml$/, ''),
    task: task ?? '',
    start: startOf(source, values.get('start')),
    role: oneOf(source, values.get('role'), { what: 'role', of: roles }) ?? 'subagent',
    checks,
    limits: limitsOf(source, values.get('limits')),
    permissions: permissionsOf(source, values.get('permissions')),
  }
}

const roles = ['subagent', 'main'] as const
const modes = ['default', 'acceptEdits', 'plan'] as const

function startOf(source: Source, node: Node | undefined): CaseStart {
  const head: CaseStart = { type: 'head' }
  if (node === undefined) return head
  if (!isMap(node)) {
    if (isScalar(node) && node.value === 'head') return head
    source.report(
      node,
      'start is “head”, “commit: …” with a commit, or “files: …” with a folder beside this file.',
    )
    return head
  }
  const values = mapOf(source, node, { what: 'start', keys: ['commit', 'files'] })
  const [first] = values ?? []
  if (first === undefined || (values?.size ?? 0) > 1) {
    source.report(node, 'start has either “commit” or “files”.')
    return head
  }
  const [key, value] = first
  const text = textOf(source, value, `start: ${key}`) ?? ''
  if (key === 'commit') {
    if (!/^[\w./@{}~^-]{1,200}$/.test(text) || text.startsWith('-'))
      source.report(value, `${JSON.stringify(text)} names no commit. Give its hash, a tag or a branch.`)
    return { type: 'commit', commit: text }
  }
  if (isOutside(text))
    source.report(value, `${JSON.stringify(text)} is not beside this file. Give a folder below its own.`)
  return { type: 'files', folder: text.replace(/\/+$/, '') }
}

/** Whether a relative path leads out of its folder, or is absolute. */
const isOutside = (path: string): boolean =>
  path === '' || /^([/\\]|[A-Za-z]:)/.test(path) || path.split(/[/\\]/).some((part) => part === '..')

const checkTypes = [
  'report-contains',
  'report-lacks',
  'report-matches',
  'report-schema',
  'files-changed',
  'files-unchanged',
  'command',
  'tools-not-used',
  'no-request',
  'opinion',
] as const satisfies readonly CaseCheck['type'][]

function checksOf(source: Source, node: Node | undefined): readonly CaseCheck[] {
  if (node === undefined) return []
  if (!isSeq(node)) {
    source.report(
      node,
      'checks is a list. Begin each check with “- ”, such as “- report-contains: charge.ts:38”.',
    )
    return []
  }
  if (node.items.length === 0) source.report(node, 'checks is empty: without one, every attempt would pass.')
  return node.items.flatMap((item) => {
    const values = mapOf(source, item as Node, { what: 'A check', keys: checkTypes })
    if (values === null || values.size === 0) return []
    const [[type, value] = [null, undefined], ...others] = values
    if (others.length > 0)
      source.report(item as Node, 'This check says two things. Begin each with a “- ” of its own.')
    const check = type === null ? null : checkOf(source, type, value)
    return check === null ? [] : [check]
  })
}

function checkOf(source: Source, type: CaseCheck['type'], node: Node | undefined): CaseCheck | null {
  switch (type) {
    case 'report-contains':
    case 'report-lacks': {
      const text = textOf(source, node, type)
      return text === null ? null : { type, text }
    }
    case 'report-matches':
      return patternOf(source, node)
    case 'report-schema': {
      const schema: unknown = node?.toJS(source.document, { maxAliasCount: 100 })
      if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return { type, schema }
      source.report(node, 'report-schema is a JSON Schema, such as {type: object, required: [files]}.')
      return null
    }
    case 'files-changed':
    case 'files-unchanged': {
      const paths = textsOf(source, node, type)
      return paths.length === 0 ? null : { type, paths }
    }
    case 'command': {
      const command = textOf(source, node, type)
      return command === null ? null : { type, command }
    }
    case 'tools-not-used':
    case 'no-request': {
      const tools = textsOf(source, node, type).map((tool) => (tool === 'any' ? '*' : tool))
      return tools.length === 0 ? null : { type, tools }
    }
    case 'opinion': {
      const rubric = textOf(source, node, type)
      return rubric === null ? null : { type, rubric }
    }
  }
}

/** A regular expression, plain or as `/…/i`. */
function patternOf(source: Source, node: Node | undefined): CaseCheck | null {
  const written = textOf(source, node, 'report-matches')
  if (written === null) return null
  const [, inside, given] = /^\/(.+)\/([a-z]*)$/s.exec(written) ?? []
  const [pattern, flags] = [inside ?? written, given ?? '']
  try {
    new RegExp(pattern, flags)
  } catch {
    source.report(
      node,
      `${JSON.stringify(written)} is no regular expression. Write one as in JavaScript, such as /charge\\.ts:\\d+/i.`,
    )
    return null
  }
  return { type: 'report-matches', pattern, flags }
}

const limitKeys = ['turns', 'tokens', 'usd', 'minutes'] as const

function limitsOf(source: Source, node: Node | undefined): CaseLimits {
  const values = node === undefined ? null : mapOf(source, node, { what: 'limits', keys: limitKeys })
  const number = (key: (typeof limitKeys)[number], isWhole: boolean): number | null => {
    const value = values?.get(key)
    if (value === undefined) return null
    const amount = isScalar(value) && typeof value.value === 'number' ? value.value : Number.NaN
    if (amount > 0 && amount < 1e12 && (!isWhole || Number.isInteger(amount))) return amount
    source.report(value, `limits: ${key} is a ${isWhole ? 'whole ' : ''}number above 0.`)
    return null
  }
  const minutes = number('minutes', false)
  return {
    turns: number('turns', true),
    tokens: number('tokens', true),
    usd: number('usd', false),
    ms: minutes === null ? null : Math.round(minutes * 60_000),
  }
}

function permissionsOf(source: Source, node: Node | undefined): CasePermissions {
  const values =
    node === undefined ? null : mapOf(source, node, { what: 'permissions', keys: ['mode', 'allow', 'deny'] })
  const rules = (key: 'allow' | 'deny') => {
    const value = values?.get(key)
    const texts = value === undefined ? [] : textsOf(source, value, `permissions: ${key}`)
    for (const text of texts) {
      const form = checkRule(text, key)
      if (!form.ok) source.report(value, refusalText(text, form))
    }
    return texts
  }
  return {
    mode: oneOf(source, values?.get('mode'), { what: 'permissions: mode', of: modes }) ?? 'default',
    allow: rules('allow'),
    deny: rules('deny'),
  }
}

/** The values of a map by key, which has only these keys. Null: it is none. */
function mapOf<Key extends string>(
  { report, document }: Source,
  given: Node | null | undefined,
  { what, keys }: { readonly what: string; readonly keys: readonly Key[] },
): ReadonlyMap<Key, Node> | null {
  const node = isAlias(given) ? given.resolve(document) : given
  if (!isMap(node)) {
    report(given, `${what} is made of ${keys.map((key) => `“${key}: …”`).join(', ')}.`)
    return null
  }
  const values = new Map<Key, Node>()
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : ''
    const known = keys.find((each) => each === name)
    if (known !== undefined) values.set(known, (value ?? key) as Node)
    else report(key as Node, unknownKey({ name, what, keys }))
  }
  return values
}

function unknownKey({
  name,
  what,
  keys,
}: {
  readonly name: string
  readonly what: string
  readonly keys: readonly string[]
}): string {
  const [near] = similarNames(name, keys, 1)
  return near === undefined
    ? `${what} has no “${name}”. It has ${keys.join(', ')}.`
    : `${what} has no “${name}”. Did you mean “${near}”?`
}

/** A text that is not empty. A number is taken as it is written: `commit: 0123456`. */
function textOf({ report }: Source, node: Node | undefined, what: string): string | null {
  const value = isScalar(node) ? node.value : undefined
  const written =
    typeof value === 'string'
      ? value
      : isScalar(node) && (typeof value === 'number' || typeof value === 'boolean')
        ? (node.source ?? String(value))
        : ''
  const text = written.trim()
  if (text !== '') return text
  report(node, `${what} is a text. Quote it where it has “: ” or begins with a sign.`)
  return null
}

/** One text, or a list of them. */
function textsOf(source: Source, node: Node | undefined, what: string): readonly string[] {
  if (!isSeq(node)) {
    const text = textOf(source, node, what)
    return text === null ? [] : [text]
  }
  if (node.items.length === 0) source.report(node, `${what} is an empty list.`)
  return node.items.flatMap((item) => textOf(source, item as Node, what) ?? [])
}

function oneOf<Word extends string>(
  { report }: Source,
  node: Node | undefined,
  { what, of }: { readonly what: string; readonly of: readonly Word[] },
): Word | null {
  if (node === undefined) return null
  const word = isScalar(node) ? String(node.value) : ''
  const known = of.find((each) => each === word)
  if (known !== undefined) return known
  const [near] = similarNames(word, of, 1)
  report(
    node,
    near ? `${what} is not “${word}”. Did you mean “${near}”?` : `${what} is one of ${of.join(', ')}.`,
  )
  return null
}
