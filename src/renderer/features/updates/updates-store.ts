/** What is known of a newer version of this program, and the user's actions on it. */
import { create } from 'zustand'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { UpdateState } from '../../../shared/updates/contract.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { showSettingsPart } from '../../stores/settings-store.ts'

interface UpdateStore extends UpdateState {
  /** Whether the settings are to show their rows about updates. */
  readonly isSought: boolean
}

export const useUpdate = create<UpdateStore>()(() => ({
  ...{ found: null, checkedAt: null, work: null, isLater: false, isSought: false },
}))

export function receiveUpdate(deltas: readonly WindowDelta[]): void {
  const last = deltas.findLast((delta) => delta.type === 'update')
  if (last?.type === 'update') useUpdate.setState(last.state)
}

/** Whether this program looks for newer versions. */
export const looksForUpdates = ({ updateUrl, updateKey }: Settings): boolean =>
  updateUrl !== '' && updateKey !== ''

/** Opens the settings at what was found. */
export function showUpdates(): void {
  useUpdate.setState({ isSought: true })
  showSettingsPart('general')
}

/** Looks now. The settings show what was found. */
export async function checkNow(): Promise<void> {
  const answer = await command('update.check', {})
  if (answer.ok) useUpdate.setState(answer.value)
  else showFailure(answer.failure)
}

/** Looks now, and tells in the status bar what was found. */
export async function checkForUpdates(): Promise<void> {
  const { settings, info } = useSession.getState()
  if (!looksForUpdates(settings)) {
    showUpdates()
    return showNotice({ level: 'info', text: 'Updates are off: they need an address and a key.' })
  }
  await checkNow()
  const { found } = useUpdate.getState()
  if (found?.kind === 'newest')
    showNotice({ level: 'info', text: `Troupe ${info.version} is the newest version.` })
  // A newer one has a notice of its own.
  else if (found?.kind === 'failed') showFailure(found)
}

/** The program asks before it stops agents. Once it is installed, it starts again. */
export async function installAndRestart(): Promise<void> {
  const answer = await command('update.install', {})
  if (!answer.ok) showFailure(answer.failure)
  else if (answer.value === 'canceled')
    showNotice({ level: 'info', text: 'Canceled: nothing was installed.' })
}

export async function putOffUpdate(): Promise<void> {
  const answer = await command('update.later', {})
  if (answer.ok) useUpdate.setState(answer.value)
  else showFailure(answer.failure)
}
