/** Changes settings and the model access. */

import type { Answer, CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import type { AccessInfo } from '../../../shared/models/model-access.ts'
import type { Settings, SettingsPatch } from '../../../shared/settings/settings.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../session-store.ts'

const { setState: set } = useSession

/** Changes settings; in effect at once. The caller shows a failure beside the field. */
export async function changeSettings(patch: SettingsPatch): Promise<Answer<Settings>> {
  const answer = await command('settings.change', { patch })
  if (answer.ok) set({ settings: answer.value })
  return answer
}

export async function setAccess(access: CommandInput<'access.set'>): Promise<Answer<AccessInfo>> {
  const answer = await command('access.set', access)
  if (answer.ok) set({ access: answer.value })
  return answer
}
