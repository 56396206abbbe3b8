import { revealPath } from '../../stores/actions/system-actions.ts'
import { useSession } from '../../stores/session-store.ts'

/** The path of the settings file; a click shows the file in its folder. */
export function SettingsFile() {
  const folder = useSession((state) => state.info.dataFolder)
  const path = `${folder}${folder.includes('\\') ? '\\' : '/'}settings.json`
  return (
    <button
      type="button"
      title="Show in folder"
      onClick={() => void revealPath(path)}
      className="break-all text-left font-mono text-fg-1 text-xs underline decoration-line-strong underline-offset-2 hover:text-fg-0"
    >
      {path}
    </button>
  )
}
