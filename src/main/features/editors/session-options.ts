/** Permission mode, model and effort as the choices that editors show for a session. */
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import type { ProgramOption } from '../../../shared/external-agents/agent-program.ts'
import { type Effort, efforts } from '../../../shared/models/effort.ts'
import type { ModelInfo } from '../../../shared/models/model-access.ts'
import { type PermissionMode, permissionModes } from '../../../shared/permissions/permission-modes.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'

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
export function optionsOf({ agent, bypassAllowed, models }: Choices): SessionConfigOption[] {
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
  mode: '_program_mode',
  model: 'model',
  effort: 'thought_level',
  other: undefined,
} as const

function optionOfProgram({ id, name, category, current, values }: ProgramOption): SessionConfigOption {
  const kind = CATEGORIES[category]
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
