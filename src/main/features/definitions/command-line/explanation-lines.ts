/** Prints an explanation as text. */

import { isForeseen } from '../../../../shared/agent-definition/missing-names.ts'
import { oneLine } from '../../../platform/command-line/text-table.ts'
import { shownPath } from './agents-lint.ts'
import { problemLine } from './definition-block.ts'
import type { Explanation } from './explain-definition.ts'

/** @param cwd the base of relative paths */
export function explanationLines(explanation: Explanation, cwd: string): readonly string[] {
  const { name, description, depth, background, announcement, withoutEffect, inClaudeCode, problems } =
    explanation
  const role = `${depth === 0 ? 'As a main agent' : `As a subagent at depth ${depth}`}${background ? ', in the background' : ''}`
  const path = explanation.file === null ? name : shownPath(explanation.file, cwd)
  return [
    oneLine(name),
    ...paragraph(description),
    '',
    ...table(facts(explanation, cwd)),
    '',
    explanation.program === null
      ? `${role}, it has: ${explanation.tools.allowed.join(', ') || 'no tools'}`
      : 'It has the tools of its program, and asks Troupe where the program asks.',
    ...section(
      'It does not have:',
      table(
        (explanation.program === null ? explanation.tools.blocked : []).map(({ tool, because }) => [
          tool,
          because,
        ]),
      ),
    ),
    ...section(
      'Not found:',
      table(explanation.tools.unknown.map(({ entry, nearest }) => [entry, whyUnknown(entry, nearest)])),
    ),
    ...section('Shown to the main agent:', announcement === null ? ['  nothing'] : paragraph(announcement)),
    ...section(
      'Without effect in this version:',
      table(withoutEffect.map(({ field, instead }) => [field, instead])),
    ),
    ...section(
      'In Claude Code:',
      inClaudeCode.map((sentence) => `  ${sentence}`),
    ),
    ...section(
      '',
      problems.map((problem) => problemLine(path, problem)),
    ),
  ]
}

function whyUnknown(entry: string, nearest: string | null): string {
  if (isForeseen(entry)) return 'not available in this version'
  return nearest === null ? 'unknown tool' : `did you mean ${nearest}?`
}

type Row = readonly [string, string]

function facts(explanation: Explanation, cwd: string): readonly Row[] {
  const {
    source,
    plugin,
    file,
    state,
    shadowedBy,
    overrides,
    aliases,
    tools,
    model,
    skills,
    permissionMode,
  } = explanation
  const origin = (one: { readonly source: string; readonly file: string | null }) =>
    `${one.source}${one.file === null ? '' : ` ${shownPath(one.file, cwd)}`}`
  const yes = (is: boolean, text: string) => (is ? [text] : [])
  const limits = [
    ...yes(explanation.readOnly, 'read only (enforced)'),
    ...yes(explanation.oneShot, 'one-shot: the agent can’t be resumed'),
    ...yes(explanation.hidden, 'hidden from the main agent'),
    ...tools.rules.denied.map((rule) => `never ${rule}`),
    ...yes(tools.rules.only.length > 0, `only ${tools.rules.only.join(', ')}`),
    ...yes(tools.agentTypes !== null, `starts only ${tools.agentTypes?.join(', ')}`),
    ...yes(tools.deniedAgentTypes.length > 0, `never starts ${tools.deniedAgentTypes.join(', ')}`),
  ]
  return [
    ['from', `${origin({ source: plugin === null ? source : `plugin ${plugin},`, file })}`],
    ['in use', inUse[state]],
    ...(shadowedBy === null ? [] : [['shadowed by', origin(shadowedBy)] as const]),
    ...overrides.map((one) => ['shadows', origin(one)] as const),
    ...(aliases.length === 0 ? [] : [['aliases', aliases.join(', ')] as const]),
    ...(explanation.program === null ? [] : [['program', explanation.program] as const]),
    [
      'model',
      explanation.program !== null
        ? 'the program’s own'
        : model.inherited
          ? `as its parent, or ${model.id}`
          : model.written === model.id
            ? model.id
            : `${model.written}: ${model.id}`,
    ],
    ['works in', workingFolder(explanation)],
    ['permissions', permissionMode.meaning],
    ...(permissionMode.withoutEffect === null ? [] : [['', permissionMode.withoutEffect] as const]),
    ['turns', explanation.maxTurns === null ? 'default' : `at most ${explanation.maxTurns}`],
    ...limits.map((limit, index) => [index === 0 ? 'limits' : '', limit] as const),
    ...skills.map(({ name, found }) => ['skill', `${name}${found === false ? ' (not found)' : ''}`] as const),
  ]
}

function workingFolder({ isolation, depth }: Explanation): string {
  if (isolation === 'worktree') return 'its own git worktree; without one the agent does not start'
  return depth === 0 ? 'the folder' : 'its parent’s folder, unless the call asks for a worktree'
}

const inUse: Readonly<Record<Explanation['state'], string>> = {
  offered: 'yes',
  hidden: 'yes, but hidden from the main agent',
  shadowed: 'no, shadowed',
  refused: 'no, until its errors are fixed',
  waits: 'no, until you approve it',
  'no-agent': 'no, not an agent',
}

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  return ['', ...(title === '' ? [] : [title]), ...lines]
}

function table(rows: readonly Row[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([key]) => oneLine(key).length))
  return rows.map(([key, value]) => `  ${oneLine(key).padEnd(width)}  ${oneLine(value, 500)}`)
}

const paragraph = (text: string): readonly string[] =>
  text.split('\n').map((line) => `  ${oneLine(line)}`.trimEnd())
