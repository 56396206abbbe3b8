/** The keys of actions: the user's choices over the defaults. Every place that shows or handles such keys reads them here. */
import { useCallback } from 'react'
import { create } from 'zustand'
import { boundKeys, type KeyBindings } from '../../shared/commands/key-bindings.ts'
import type { KeyActionId } from '../../shared/commands/key-map.ts'
import type { Answer } from '../../shared/ipc/ipc-contract.ts'
import { command } from '../bridge.ts'
import { endNotices, showNotice } from './overlay-store.ts'

export const useKeyBindings = create<KeyBindings>()(() => ({ file: '', bindings: {}, problems: [] }))

/** The keys of an action now, for code outside components; undefined: none. */
export function keysNow(id: KeyActionId): string | undefined {
  return boundKeys(id, useKeyBindings.getState())
}

/** The keys of actions, for components; undefined: none. */
export function useKeysOf(): (id: KeyActionId) => string | undefined {
  const bindings = useKeyBindings((state) => state.bindings)
  return useCallback((id) => boundKeys(id, { bindings }), [bindings])
}

/** Reads the keys when the window starts. */
export async function loadKeys(): Promise<void> {
  const answer = await command('keys.state', {})
  if (answer.ok && answer.value !== undefined) takeKeys(answer.value)
}

/** Takes the keys that the main process read. Lines of the file that don't count become notices. */
export function takeKeys(keys: KeyBindings): void {
  const before = useKeyBindings.getState().problems
  useKeyBindings.setState(keys, true)
  if (before.join('\n') === keys.problems.join('\n')) return
  endNotices('keys')
  for (const text of keys.problems) showNotice({ level: 'error', text, about: 'keys' })
}

/** Gives an action other keys; null: none. @returns the failure's message; null: done */
export async function setKeys(id: KeyActionId, keys: string | null): Promise<string | null> {
  return taken(await command('keys.set', { id, keys }))
}

/** Gives actions their default keys again; null: all. @returns the failure's message; null: done */
export async function resetKeys(ids: readonly KeyActionId[] | null): Promise<string | null> {
  return taken(await command('keys.reset', { ids: ids === null ? null : [...ids] }))
}

function taken(answer: Answer<KeyBindings>): string | null {
  if (answer.ok) takeKeys(answer.value)
  return answer.ok ? null : answer.failure.message
}
