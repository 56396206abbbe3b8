import { X } from 'lucide-react'
import { allowBypass, trustFolder } from '../../stores/folder-actions.ts'
import { PERMISSION_MODES } from '../../stores/permission-modes.ts'
import { useSession } from '../../stores/session-store.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { SelectMenu } from '../../ui/select-menu.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Row, Section, useChange } from './setting-row.tsx'
import { SettingsFile } from './settings-file.tsx'

/** What agents may do unasked, and where. */
export function PermissionSettings() {
  const mode = useSession((state) => state.settings.permissionMode)
  const trusted = useSession((state) => state.settings.trustedFolders)
  const bypass = useSession((state) => state.settings.bypassFolders)
  const folder = useSession((state) => state.folder)
  const [error, change] = useChange()
  return (
    <Section
      id="permissions"
      title="Permissions"
      kept={
        <>
          Kept in <SettingsFile />. Only your own settings can loosen them, never a project’s.
        </>
      }
    >
      <Row
        title="New conversations start with"
        name="permissionMode"
        hint="Each can be changed in its composer."
        error={error}
      >
        <SelectMenu
          label="Permission mode of new conversations"
          value={mode}
          options={PERMISSION_MODES.filter(({ value }) => value !== 'bypassPermissions' || mode === value)}
          onChange={(value) => void change({ permissionMode: value })}
        />
      </Row>
      {folder !== null && (
        <>
          <Row
            title={`Trust ${folder.name}`}
            name="trustedFolders"
            hint="What lies in it is read as instructions, and agents may change files and run commands in it as the mode allows."
          >
            <Switch
              label={`Trust ${folder.name}`}
              checked={folder.trusted}
              onChange={(on) => void trustFolder(folder.path, on)}
            />
          </Row>
          <Row
            title={`Allow bypassing permissions in ${folder.name}`}
            name="bypassFolders"
            hint="Makes the mode “Bypass permissions” selectable here: agents then do everything unasked. Only for a folder that may be lost, such as a container."
          >
            <Switch
              label={`Allow bypassing permissions in ${folder.name}`}
              checked={folder.bypassAllowed}
              onChange={(on) => void allowBypass(folder.path, on)}
            />
          </Row>
        </>
      )}
      <FolderList
        title="Trusted folders"
        empty="None yet: a folder is asked about when it is opened."
        folders={trusted}
        onRemove={(path) => void trustFolder(path, false)}
      />
      <FolderList
        title="Folders with bypassing allowed"
        empty="None."
        folders={bypass}
        onRemove={(path) => void allowBypass(path, false)}
      />
    </Section>
  )
}

interface FolderListProps {
  readonly title: string
  readonly empty: string
  readonly folders: readonly string[]
  readonly onRemove: (path: string) => void
}

function FolderList({ title, empty, folders, onRemove }: FolderListProps) {
  return (
    <Row title={title} hint={folders.length === 0 ? empty : undefined}>
      {folders.length > 0 && (
        <ul className="flex w-80 max-w-full flex-col gap-0.5">
          {folders.map((path) => (
            <li key={path} className="flex items-center gap-1">
              <span className="min-w-0 flex-1 truncate font-mono text-fg-1 text-xs" title={path}>
                {path}
              </span>
              <IconButton label={`Remove ${path}`} icon={X} onClick={() => onRemove(path)} />
            </li>
          ))}
        </ul>
      )}
    </Row>
  )
}
