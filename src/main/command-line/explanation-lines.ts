/** An explanation as text for a person. */

import { isForeseen } from '../../shared/agent-definition/missing-names.ts'
import { shownPath } from './agents-lint.ts'
import { oneLine, problemLine } from './definition-block.ts'
import type { Explanation } from './explain-definition.ts'

/** `cwd`: what paths are relative to. */
export function explanationLines(explanation: Explanation, cwd: string): readonly string[] {
  const { name, description, depth, background, announcement, withoutEffect, problems } = explanation
  const place = `${depth === 0 ? 'As a main agent' : `Started ${depth} below the main agent`}${background ? ', in the background' : ''}`
  const path = explanation.file === null ? name : shownPath(explanation.file, cwd)
  return [
    oneLine(name),
    ...paragraph(description),
    '',
    ...table(facts(explanation, cwd)),
    '',
    `${place}, it has: ${explanation.tools.allowed.join(', ') || 'no tools'}`,
    ...section(
      'It does not have:',
      table(explanation.tools.blocked.map(({ tool, because }) => [tool, because])),
    ),
    ...section(
      'Named and not there:',
      table(explanation.tools.unknown.map(({ entry, nearest }) => [entry, whyUnknown(entry, nearest)])),
    ),
    ...section(
      'The main agent reads of it:',
      announcement === null ? ['  nothing'] : paragraph(announcement),
    ),
    ...section(
      'Without effect in this version:',
      table(withoutEffect.map(({ field, instead }) => [field, instead])),
    ),
    ...section(
      '',
      problems.map((problem) => problemLine(path, problem)),
    ),
  ]
}

function whyUnknown(entry: string, nearest: string | null): string {
  if (isForeseen(entry)) return 'this version does not have it yet'
  return nearest === null ? 'there is no tool of that name' : `did you mean ${nearest}?`
}

type Row = readonly [string, string]

function facts(explanation: Explanation, cwd: string): readonly Row[] {
  const { source, plugin, file, state, overriddenBy, overrides, aliases, tools, model, skills } = explanation
  const origin = (one: { readonly source: string; readonly file: string | null }) =>
    `${one.source}${one.file === null ? '' : ` ${shownPath(one.file, cwd)}`}`
  const yes = (is: boolean, words: string) => (is ? [words] : [])
  const limits = [
    ...yes(explanation.readOnly, 'read-only, which is enforced'),
    ...yes(explanation.oneShot, 'one-shot: its report is final'),
    ...yes(explanation.hidden, 'hidden: the main agent is not told of it'),
    ...tools.rules.denied.map((rule) => `never ${rule}`),
    ...yes(tools.rules.only.length > 0, `only ${tools.rules.only.join(', ')}`),
    ...yes(tools.agentTypes !== null, `starts only ${tools.agentTypes?.join(', ')}`),
    ...yes(tools.deniedAgentTypes.length > 0, `never starts ${tools.deniedAgentTypes.join(', ')}`),
  ]
  return [
    ['from', `${origin({ source: plugin === null ? source : `plugin ${plugin},`, file })}`],
    ['in use', inUse[state]],
    ...(overriddenBy === null ? [] : [['overridden by', origin(overriddenBy)] as const]),
    ...overrides.map((one) => ['overrides', origin(one)] as const),
    ...(aliases.length === 0 ? [] : [['also called', aliases.join(', ')] as const]),
    [
      'model',
      model.written === 'inherit'
        ? `as whoever starts it; else ${model.id}`
        : model.written === model.id
          ? model.id
          : `${model.written}: ${model.id}`,
    ],
    ['works in', workplace(explanation)],
    ['permissions', explanation.permissionMode.meaning],
    ['turns', explanation.maxTurns === null ? 'as many as usual' : `at most ${explanation.maxTurns}`],
    ...limits.map((limit, index) => [index === 0 ? 'limits' : '', limit] as const),
    ...skills.map(
      ({ name, found }) =>
        ['skill', `${name}${found === false ? ' (there is none of that name)' : ''}`] as const,
    ),
  ]
}

function workplace({ isolation, depth }: Explanation): string {
  if (isolation === 'worktree') return 'a git worktree of its own; where there can be none, it is not started'
  return depth === 0 ? 'the folder' : 'the folder of whoever starts it, if the call asks for no worktree'
}

const inUse: Readonly<Record<Explanation['state'], string>> = {
  offered: 'yes',
  hidden: 'yes, but the main agent is not told of it',
  overridden: 'no, it is overridden',
  refused: 'no, until it is mended',
  'no-agent': 'no, it is no agent',
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
