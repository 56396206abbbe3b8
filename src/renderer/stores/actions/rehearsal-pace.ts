/** The pace of the rehearsal: its names in the window, and its change. */
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import type { RehearsalPace } from '../../../shared/models/rehearsal-pace.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { changeSettings } from './settings-actions.ts'

export const PACE_LABELS: readonly { readonly value: RehearsalPace; readonly label: string }[] = [
  { value: 'readable', label: '1×' },
  { value: 'faster', label: '4×' },
  { value: 'instant', label: 'instant' },
]

export function setRehearsalPace(rehearsalPace: RehearsalPace): Promise<Answer<Settings>> {
  return changeSettings({ rehearsalPace })
}
