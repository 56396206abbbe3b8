/** Hooks and their runs in words. */
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import {
  type HookDefinition,
  type HookEntry,
  type HookRun,
  type HookSource,
  type HookState,
  hookEventFacts,
} from '../../../shared/hooks/hooks.ts'

export const GROUPS = [
  { value: 'all', label: 'All' },
  { value: 'before', label: 'Before tools' },
  { value: 'after', label: 'After tools' },
  { value: 'agents', label: 'Agents' },
  { value: 'conversation', label: 'Conversation' },
] as const
export type HookGroup = (typeof GROUPS)[number]['value']

export function groupOf({ definition }: HookEntry): HookGroup {
  return hookEventFacts[definition.event].group
}

export const HOOK_SOURCE_TEXT: Readonly<Record<HookSource, string>> = {
  managed: 'managed',
  'command-line': 'command line',
  local: 'local',
  project: 'project',
  own: 'user',
  user: 'user',
  plugin: 'plugin',
  agent: 'agent',
  'project-agent': 'agent',
}

export const STATE_TEXT: Readonly<Record<HookState, string>> = {
  on: 'on',
  off: 'off',
  new: 'new, off until you decide',
  changed: 'changed, off until you decide',
  disabled: 'off: disableAllHooks is set',
}

const EFFECT_TEXT: Readonly<Record<HookRun['effect'], string>> = {
  none: 'passed',
  denied: 'blocked',
  asked: 'asked you',
  allowed: 'allowed the call',
  'input-changed': 'changed the input',
  'context-added': 'added text',
  continued: 'made the agent continue',
  stopped: 'stopped the agent',
  failed: 'failed',
  'timed-out': 'took too long, ended',
}

export const isFailure = ({ effect }: HookRun): boolean => effect === 'failed' || effect === 'timed-out'

/** "38 ms", "1.2 s" */
export function durationText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** "blocked, exit code 2" */
export function resultText({ effect, exitCode }: HookRun): string {
  const code = exitCode === null || exitCode === 0 ? '' : `, exit code ${exitCode}`
  return `${EFFECT_TEXT[effect]}${code}`
}

const KIND_TEXT: Readonly<Record<HookDefinition['kind'], string>> = {
  command: 'command',
  http: 'address',
  prompt: 'a model judges',
  agent: 'an agent judges',
}

/** The definition as lines, for people and for a difference. */
export function hookDefinitionText(definition: HookDefinition): string {
  const { event, matcher, kind, run, timeout, failClosed, async, headers, agent } = definition
  const { if: condition, once, model, statusMessage } = definition
  const lines = [
    `event: ${event}`,
    `for: ${matcher === '' ? 'all' : matcher}`,
    ...(agent === undefined ? [] : [`only for the agent: ${agent}`]),
    ...(condition === undefined ? [] : [`if the call matches: ${condition}`]),
    `${KIND_TEXT[kind]}: ${run}`,
    ...(model === undefined ? [] : [`model: ${model}`]),
    ...Object.entries(headers).map(([name, value]) => `header ${name}: ${value}`),
    `time limit: ${timeout} s`,
    `when it fails: ${failClosed ? 'the call is blocked' : 'the work goes on'}`,
    ...(async ? ['the agent does not wait for it'] : []),
    ...(once ? ['once in a conversation'] : []),
    ...(statusMessage === undefined ? [] : [`shown while it runs: ${statusMessage}`]),
  ]
  return lines.join('\n')
}

/** "settings.json", or the source in words. */
export function hookPlace({ file, sourceText }: HookEntry): string {
  return file?.split(/[\\/]/).at(-1) ?? sourceText
}

/** The difference between what was approved and what is defined now, as a patch. */
export function changeOf({ definition, former }: HookEntry): string {
  const before = typeof former === 'object' && former !== null ? { ...definition, ...former } : definition
  const found = structuredPatch(
    '',
    '',
    `${hookDefinitionText(before)}\n`,
    `${hookDefinitionText(definition)}\n`,
    '',
    '',
    {
      context: 20,
    },
  )
  return formatPatch(found, OMIT_HEADERS)
}
