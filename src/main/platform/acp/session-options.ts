/**
 * The choices and commands of a session: Troupe's as editors show them, and those that external agents offer in several
 * shapes: options, modes, models and ways to log in.
 */
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import type {
  ExternalAgent,
  ExternalAgentOption,
  LoginMethod,
} from '../../../shared/external-agents/external-agent.ts'
import { type Effort, efforts } from '../../../shared/models/effort.ts'
import type { ModelInfo } from '../../../shared/models/model-access.ts'
import { type PermissionMode, permissionModes } from '../../../shared/permissions/permission-modes.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { isRecord } from '../json/json-text.ts'
import { quotedWord } from '../shell/quoted-word.ts'
import { shortText, shortTextOf } from './content.ts'

const MODES: Readonly<Record<PermissionMode, { readonly name: string; readonly description: string }>> = {
  default: { name: 'Default', description: 'Asks before anything that changes files or runs commands.' },
  acceptEdits: { name: 'Accept edits', description: 'Files in the folder are changed unasked.' },
  plan: { name: 'Plan', description: 'Only reads, and ends with a plan for you to approve.' },
  dontAsk: { name: 'Don’t ask', description: 'Whatever would ask is denied.' },
  bypassPermissions: { name: 'Bypass permissions', description: 'Nothing asks. For marked folders only.' },
}

/** The mode of a session, and those that the user can choose. */
export function modesOf(current: PermissionMode, bypassAllowed: boolean): SessionModeState {
  const offered = permissionModes.filter(
    (mode) => mode !== 'bypassPermissions' || bypassAllowed || mode === current,
  )
  return { currentModeId: current, availableModes: offered.map((id) => ({ id, ...MODES[id] })) }
}

export const modeNamed = (id: string): PermissionMode | undefined =>
  permissionModes.find((mode) => mode === id)

export const MODE_OPTION = 'mode'
export const MODEL_OPTION = 'model'
export const EFFORT_OPTION = 'effort'

/** The id of a choice of an external agent, so that it can't be one of ours. */
const PROGRAM = 'program:'

/** The choice of the program, by the id of the option; null: the option is Troupe's own. */
export const programOptionOf = (id: string): string | null =>
  id.startsWith(PROGRAM) ? id.slice(PROGRAM.length) : null

interface Choices {
  /** The main agent. */
  readonly agent: Pick<AgentState, 'permissionMode' | 'model' | 'effort' | 'definition' | 'program'>
  readonly bypassAllowed: boolean
  readonly models: readonly ModelInfo[]
}

/**
 * All choices of a session. Editors that know these show no modes beside them, so the mode is one of them. An
 * external agent has its own models.
 */
export function editorOptions({ agent, bypassAllowed, models }: Choices): SessionConfigOption[] {
  const mode = modeOption(agent.permissionMode, bypassAllowed)
  if (agent.definition.program !== undefined)
    return [mode, ...(agent.program?.options ?? []).map(optionOfProgram)]
  return [mode, modelOption(agent.model, models), effortOption(agent.effort)]
}

/** Whether an option has this value. */
export function offers(options: readonly SessionConfigOption[], id: string, value: unknown): boolean {
  const option = options.find((candidate) => candidate.id === id)
  return option?.type === 'select' && option.options.some((each) => 'value' in each && each.value === value)
}

export const effortNamed = (value: string): Effort | null => efforts.find((each) => each === value) ?? null

function modeOption(current: PermissionMode, bypassAllowed: boolean): SessionConfigOption {
  const { currentModeId, availableModes } = modesOf(current, bypassAllowed)
  return {
    type: 'select',
    id: MODE_OPTION,
    name: 'Permission mode',
    category: 'mode',
    description: 'What agents may do without asking.',
    currentValue: currentModeId,
    options: availableModes.map(({ id, ...mode }) => ({ value: id, ...mode })),
  }
}

function modelOption(current: string, models: readonly ModelInfo[]): SessionConfigOption {
  const known = models.some(({ id }) => id === current) ? models : [{ id: current, name: current }, ...models]
  return {
    type: 'select',
    id: MODEL_OPTION,
    name: 'Model',
    category: 'model',
    description: 'The model of the main agent’s next requests.',
    currentValue: current,
    options: known.map(({ id, name }) => ({ value: id, name: id === name ? id : `${id} (${name})` })),
  }
}

function effortOption(current: Effort | null): SessionConfigOption {
  return {
    type: 'select',
    id: EFFORT_OPTION,
    name: 'Effort',
    category: 'thought_level',
    description: 'How much the main agent thinks and writes, from its next request on.',
    currentValue: current ?? DEFAULT_EFFORT,
    options: [
      { value: DEFAULT_EFFORT, name: 'Default', description: 'As the model does by itself.' },
      ...efforts.map((value) => ({ value, name: value === 'xhigh' ? 'Extra high' : capitalized(value) })),
    ],
  }
}

const DEFAULT_EFFORT = 'default'

const CATEGORIES = {
  mode: 'mode',
  model: 'model',
  effort: 'thought_level',
  other: undefined,
} as const

function optionOfProgram({ id, name, category, current, values }: ExternalAgentOption): SessionConfigOption {
  // Editors show only one mode of a session, which is Troupe's.
  const kind = category === 'mode' ? '_program_mode' : CATEGORIES[category]
  return {
    type: 'select',
    id: `${PROGRAM}${id}`,
    name,
    ...(kind !== undefined && { category: kind }),
    currentValue: current,
    options: values.map(({ id: value, ...rest }) => ({ value, ...rest })),
  }
}

const capitalized = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`

// ---- choices and commands of external agents ------------------------------------------------------

/** How a choice is set. `flag`: an option that is on or off. */
type Kind = 'option' | 'flag' | 'mode' | 'model'

export interface SessionOption extends ExternalAgentOption {
  readonly kind: Kind
}

/** Values of one choice, and choices of one session. More are left out. */
const MOST_VALUES = 500
const MOST_OPTIONS = 50

/** @param begun the answer to a session's beginning; nothing holds it to a shape */
export function optionsIn(begun: unknown): readonly SessionOption[] {
  if (!isRecord(begun)) return []
  // A program that has options repeats its modes for older clients.
  const listed = configOptionsIn(begun['configOptions'])
  if (listed.length > 0) return listed
  const modes = choiceOf(begun['modes'], { list: 'availableModes', id: 'id', current: 'currentModeId' })
  const models = choiceOf(begun['models'], {
    list: 'availableModels',
    id: 'modelId',
    current: 'currentModelId',
  })
  return [
    ...(modes === null
      ? []
      : [{ ...modes, id: 'mode', name: 'Mode', category: 'mode', kind: 'mode' } as const]),
    ...(models === null
      ? []
      : [{ ...models, id: 'model', name: 'Model', category: 'model', kind: 'model' } as const]),
  ]
}

export function configOptionsIn(value: unknown): readonly SessionOption[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, MOST_OPTIONS).flatMap((option: unknown): readonly SessionOption[] => {
    if (!isRecord(option) || typeof option['id'] !== 'string') return []
    const { id } = option
    const base = { id, name: shortTextOf(option['name']) || id, category: categoryOf(option['category']) }
    const current = option['currentValue']
    if (typeof current === 'boolean')
      return [{ ...base, kind: 'flag', current: current ? 'on' : 'off', values: ON_OFF }]
    if (typeof current !== 'string') return []
    return [{ ...base, kind: 'option', current, values: valuesOf(option['options'], 'value') }]
  })
}

/** The request that sets a choice. */
export function settingOf(
  { id, kind }: SessionOption,
  value: string,
): { readonly method: string; readonly params: object } {
  switch (kind) {
    case 'mode':
      return { method: 'session/set_mode', params: { modeId: value } }
    case 'model':
      return { method: 'session/set_model', params: { modelId: value } }
    case 'flag':
      return {
        method: 'session/set_config_option',
        params: { configId: id, type: 'boolean', value: value === 'on' },
      }
    case 'option':
      return { method: 'session/set_config_option', params: { configId: id, value } }
  }
}

/** The value that a definition means: by id, else by name, whatever the case. Null: it is not offered. */
export function valueNamed({ values }: ExternalAgentOption, wanted: string): string | null {
  const plain = wanted.trim().toLowerCase()
  const found =
    values.find(({ id }) => id === wanted) ??
    values.find(({ id }) => id.toLowerCase() === plain) ??
    values.find(({ name }) => name.toLowerCase() === plain)
  return found?.id ?? null
}

/**
 * Ids of modes, the best first. A mode never lets the program decide more by itself than Troupe's mode does: what it asks
 * then, Troupe answers by the user's rules and mode, so `bypassPermissions` needs no mode that asks nothing.
 */
const LIKE: Readonly<Record<PermissionMode, readonly string[]>> = {
  default: ['default', 'ask', 'read-only'],
  acceptEdits: ['acceptEdits', 'autoEdit', 'auto_edit', 'default', 'ask', 'read-only'],
  plan: ['plan', 'read-only'],
  dontAsk: ['dontAsk', 'default', 'ask', 'read-only'],
  bypassPermissions: ['acceptEdits', 'autoEdit', 'auto_edit', 'default', 'ask', 'read-only'],
}

/** The id of the program's mode that is like Troupe's permission mode; null: it offers none. */
export function modeOfProgram(
  { values }: Pick<ExternalAgentOption, 'values'>,
  mode: PermissionMode,
): string | null {
  const plain = (id: string) => id.toLowerCase().replace(/[\s_-]/g, '')
  for (const wanted of LIKE[mode]) {
    const found = values.find(({ id }) => plain(id) === plain(wanted))
    if (found !== undefined) return found.id
  }
  return null
}

/** Without what only the adapter needs. */
export const withoutKind = ({ kind: _, ...option }: SessionOption): ExternalAgentOption => option

const ON_OFF = [
  { id: 'on', name: 'On', description: '' },
  { id: 'off', name: 'Off', description: '' },
]

function choiceOf(
  value: unknown,
  keys: { readonly list: string; readonly id: string; readonly current: string },
): Pick<SessionOption, 'current' | 'values'> | null {
  if (!isRecord(value)) return null
  const values = valuesOf(value[keys.list], keys.id)
  const current = value[keys.current]
  return values.length === 0 || typeof current !== 'string' ? null : { current, values }
}

/** The values of a list, also of one in groups. */
function valuesOf(list: unknown, idKey: string): ExternalAgentOption['values'] {
  if (!Array.isArray(list)) return []
  return list
    .flatMap((one: unknown) => (isRecord(one) && Array.isArray(one['options']) ? one['options'] : [one]))
    .slice(0, MOST_VALUES)
    .flatMap((one: unknown) => {
      if (!isRecord(one) || typeof one[idKey] !== 'string') return []
      const id = one[idKey]
      return [{ id, name: shortTextOf(one['name']) || id, description: shortTextOf(one['description']) }]
    })
}

const categoryOf = (category: unknown): ExternalAgentOption['category'] =>
  category === undefined || category === null
    ? 'other'
    : ((['mode', 'model', 'effort'] as const).find((ours) => CATEGORIES[ours] === category) ?? 'other')

/** Commands of a program. More are left out. */
const MOST_COMMANDS = 500

/** @param list as the program sent it; nothing holds it to a shape */
export function commandsIn(list: unknown): ExternalAgent['commands'] {
  if (!Array.isArray(list)) return []
  return list.slice(0, MOST_COMMANDS).flatMap((command: unknown) => {
    if (!isRecord(command) || typeof command['name'] !== 'string') return []
    const { name, description, input } = command
    const hint = isRecord(input) && typeof input['hint'] === 'string' ? shortText(input['hint']) : null
    return [
      {
        name: shortText(name),
        description: shortTextOf(description),
        hint,
      },
    ]
  })
}

/**
 * The ways to log in that an external agent offers.
 *
 * @param offered as the program sent them; nothing holds it to a shape
 * @param command the command line of the program
 */
export function loginMethodsOf(offered: readonly unknown[], command: string): readonly LoginMethod[] {
  return offered.flatMap((method): readonly LoginMethod[] => {
    if (!isRecord(method)) return []
    const id = method['id']
    if (typeof id !== 'string' || id === '') return []
    const base = {
      id,
      name: shortTextOf(method['name']) || id,
      description: shortTextOf(method['description']),
    }
    const variables = variablesOf(method)
    if (method['type'] === 'env_var' || variables.length > 0)
      return [{ ...base, kind: 'environment', command: null, variables }]
    const line = terminalLine(method, command)
    if (line !== null) return [{ ...base, kind: 'terminal', command: line, variables: [] }]
    return [{ ...base, kind: 'agent', command: null, variables: [] }]
  })
}

/** What the user types in a terminal; null: the method needs none. */
function terminalLine(method: Readonly<Record<string, unknown>>, command: string): string | null {
  const meta = isRecord(method['_meta']) ? method['_meta']['terminal-auth'] : null
  if (isRecord(meta) && typeof meta['command'] === 'string')
    return [meta['command'], ...wordsOf(meta['args'])].map(quotedWord).join(' ')
  if (method['type'] !== 'terminal') return null
  const set = isRecord(method['env']) ? Object.entries(method['env']) : []
  const given = set.flatMap(([name, value]) =>
    typeof value === 'string' ? [`${name}=${quotedWord(value)}`] : [],
  )
  return [...given, command, ...wordsOf(method['args']).map(quotedWord)].join(' ')
}

/** The variables of a method that reads some: its list of names, or its only one. */
function variablesOf(method: Readonly<Record<string, unknown>>): readonly string[] {
  const listed = Array.isArray(method['vars']) ? method['vars'] : [method['varName']]
  return listed.flatMap((one) => {
    const name = isRecord(one) ? one['name'] : one
    return typeof name === 'string' && name !== '' ? [shortText(name)] : []
  })
}

const wordsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((word) => typeof word === 'string') : []
