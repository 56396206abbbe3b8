/**
 * Permission modes: they decide about calls without a rule. Modes combine to a mode that never allows more than any of
 * them.
 */

export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const
export type PermissionMode = (typeof permissionModes)[number]

/** An agent's effective mode. */
export interface EffectiveMode {
  readonly permissionMode: PermissionMode
  /** Whether calls that would ask are denied although the mode asks: `plan` combined with `dontAsk`. */
  readonly neverAsks: boolean
}

/** From the least to the most permissive. */
const order: readonly PermissionMode[] = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions']

/** The mode as a user or a definition chooses it. */
export function plainMode(permissionMode: PermissionMode): EffectiveMode {
  return { permissionMode, neverAsks: false }
}

/** Whether calls that would ask are denied instead. */
export function isSilent({ permissionMode, neverAsks }: EffectiveMode): boolean {
  return neverAsks || permissionMode === 'dontAsk'
}

/** The less permissive of two modes, silent if one of them is: `plan` may ask, so below `dontAsk` it never asks. */
export function narrowerMode(one: EffectiveMode, other: EffectiveMode): EffectiveMode {
  const permissionMode = allowsMore(one.permissionMode, other.permissionMode)
    ? other.permissionMode
    : one.permissionMode
  return { permissionMode, neverAsks: permissionMode !== 'dontAsk' && (isSilent(one) || isSilent(other)) }
}

/** Whether one mode allows more than the other. */
export function allowsMore(mode: PermissionMode, other: PermissionMode): boolean {
  return order.indexOf(mode) > order.indexOf(other)
}

/** A definition's `permissionMode`. `bubble` only decides whether a background agent may ask. */
type DefinitionMode = PermissionMode | 'bubble' | null

/** The mode that a definition names; null if the mode above applies. */
export function declaredMode(mode: DefinitionMode): PermissionMode | null {
  return mode === 'bubble' ? null : mode
}

/** The mode of an agent whose definition may lower `above`, its parent's or the user's mode, and never raises it. */
export function modeBelow(above: EffectiveMode, mode: DefinitionMode): EffectiveMode {
  const declared = declaredMode(mode)
  return declared === null ? above : narrowerMode(above, plainMode(declared))
}

/** Why a definition's mode has no effect, in one sentence; null if it has one. */
export function modeWithoutEffect(
  mode: DefinitionMode,
  { most, owner }: { readonly most: PermissionMode; readonly owner: 'user' | 'parent' },
): string | null {
  const declared = declaredMode(mode)
  if (declared === null || !allowsMore(declared, most)) return null
  return `The definition's permission mode ${declared} has no effect: it allows more than ${most}, ${owner === 'user' ? "the user's" : "its parent's"} mode.`
}
