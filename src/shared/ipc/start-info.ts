import type { AccessInfo } from '../models/model-access.ts'
import type { Settings } from '../settings/settings.ts'
import type { FolderInfo } from './folder-info.ts'

/** Everything the page needs for its first frame. */
export interface StartInfo {
  readonly version: string
  readonly platform: string
  readonly dataFolder: string
  readonly settings: Settings
  readonly access: AccessInfo
  /** The folder to open at once: the one on the command line, or the most recent one. */
  readonly folder: FolderInfo | null
  /** Coordinator mode of new conversations as the environment sets it; null: the settings decide. */
  readonly coordinatorMode: boolean | null
  /** The version of Electron. */
  readonly electron: string
}
