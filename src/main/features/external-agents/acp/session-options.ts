/** The choices of a session, in the shapes in which programs offer them: options, modes, and models. */
import type { ProgramOption } from '../../../../shared/external-agents/agent-program.ts'
import type { PermissionMode } from '../../../../shared/permissions/permission-modes.ts'
import { isRecord } from '../../../platform/json/json-text.ts'
import { shortText } from './short-text.ts'

/** How a choice is set. `flag`: an option that is on or off. */
type Kind = 'option' | 'flag' | 'mode' | 'model'

export interface SessionOption extends ProgramOption {
  readonly kind: Kind
}

/** Values of one choice, and choices of one session. More are left out. */
const MOST_VALUES = 500
const MOST_OPTIONS = 50

/** @param begun the answer to a session's beginning; nothing holds it to a shape */
export function optionsOf(begun: unknown): readonly SessionOption[] {
  if (!isRecord(begun)) return []
  // A program that has options repeats its modes for older clients.
  const listed = configOptionsOf(begun['configOptions'])
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

export function configOptionsOf(value: unknown): readonly SessionOption[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, MOST_OPTIONS).flatMap((option: unknown): readonly SessionOption[] => {
    if (!isRecord(option) || typeof option['id'] !== 'string') return []
    const { id } = option
    const base = { id, name: textOf(option['name']) || id, category: categoryOf(option['category']) }
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
export function valueNamed({ values }: ProgramOption, wanted: string): string | null {
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
  { values }: Pick<ProgramOption, 'values'>,
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
export const shownOption = ({ kind: _, ...option }: SessionOption): ProgramOption => option

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
function valuesOf(list: unknown, idKey: string): ProgramOption['values'] {
  if (!Array.isArray(list)) return []
  return list
    .flatMap((one: unknown) => (isRecord(one) && Array.isArray(one['options']) ? one['options'] : [one]))
    .slice(0, MOST_VALUES)
    .flatMap((one: unknown) => {
      if (!isRecord(one) || typeof one[idKey] !== 'string') return []
      const id = one[idKey]
      return [{ id, name: textOf(one['name']) || id, description: textOf(one['description']) }]
    })
}

function categoryOf(category: unknown): ProgramOption['category'] {
  if (category === 'mode' || category === 'model') return category
  return category === 'thought_level' ? 'effort' : 'other'
}

const textOf = (value: unknown): string => (typeof value === 'string' ? shortText(value) : '')
