/** The commands of the open folder: command files, skills and prompts of MCP servers. */
import { create } from 'zustand'
import type { SlashCommand } from '../../../shared/slash/slash-command.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'

interface SlashStore {
  /** The folder that the commands belong to. */
  readonly folder: string | null
  readonly commands: readonly SlashCommand[]
}

const NONE: SlashStore = { folder: null, commands: [] }

export const useSlash = create<SlashStore>()(() => NONE)

/** Reads the commands of the open folder again. The earlier list stays until the answer, unless the folder changed. */
export async function loadSlash(): Promise<readonly SlashCommand[]> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) {
    useSlash.setState(NONE)
    return []
  }
  if (useSlash.getState().folder !== folder) useSlash.setState({ folder, commands: [] })
  const answer = await command('slash.list', { folder })
  if (!answer.ok || useSession.getState().folder?.path !== folder) return []
  useSlash.setState({ folder, commands: answer.value })
  return answer.value
}
