/** Permission modes and models as the choices that editors show for a session. */
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import type { ModelInfo } from '../../../shared/model-access.ts'
import { type PermissionMode, permissionModes } from '../../../shared/permission-modes.ts'

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

/** The option with the model of the main agent. */
export const MODEL_OPTION = 'model'

export function modelOption(current: string, models: readonly ModelInfo[]): SessionConfigOption {
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
