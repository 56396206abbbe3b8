import { allowBypass, trustFolder } from '../../stores/session-feed.ts'
import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { SelectMenu } from '../../ui/menu.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { Switch } from '../../ui/switch.tsx'
import { PERMISSION_MODES } from '../../ui/text/permission-modes.ts'

/** The default permission mode, and the trusted folders. */
export function ModeAndTrust() {
  const mode = useSession((state) => state.settings.permissionMode)
  const trusted = useSession((state) => state.settings.trustedFolders)
  const bypass = useSession((state) => state.settings.bypassFolders)
  const folder = useSession((state) => state.folder)
  const [error, change] = useChange()
  const isThroughOther = folder?.trusted === true && !trusted.includes(folder.path)
  return (
    <Section title="Mode and trust" hint="Only your own settings can loosen permissions; a project can’t.">
      <Row
        title="Mode of new conversations"
        name="permissionMode"
        hint="You can change it in the composer."
        error={error}
      >
        <SelectMenu
          label="Default permission mode"
          value={mode}
          options={PERMISSION_MODES.filter(({ value }) => value !== 'bypassPermissions' || mode === value)}
          onChange={(value) => void change({ permissionMode: value })}
        />
      </Row>
      {folder !== null && (
        <>
          <Row
            title={`Trust ${folder.name}`}
            hint={
              isThroughOther
                ? 'It is trusted because a folder around it is, or the checkout that it was made from. Revoke that one below.'
                : 'Troupe reads instructions from the folder, and agents may change files and run commands as the mode allows.'
            }
          >
            <Switch
              label={`Trust ${folder.name}`}
              checked={folder.trusted}
              disabled={isThroughOther}
              onChange={(on) => void trustFolder(folder.path, on)}
            />
          </Row>
          <Row
            title={`Allow bypass in ${folder.name}`}
            hint="Offers the mode “Bypass permissions” here, in which agents never ask. Only for a disposable folder, such as a container."
          >
            <Switch
              label={`Allow bypass in ${folder.name}`}
              checked={folder.bypassAllowed}
              onChange={(on) => void allowBypass(folder.path, on)}
            />
          </Row>
        </>
      )}
      <FolderList
        title="Trusted folders"
        name="trustedFolders"
        empty="None yet: a folder is asked about when it is opened."
        folders={trusted}
        remove="Revoke"
        onRemove={(path) => void trustFolder(path, false)}
      />
      <FolderList
        title="Folders with bypass"
        name="bypassFolders"
        empty="None."
        folders={bypass}
        remove="Remove"
        onRemove={(path) => void allowBypass(path, false)}
      />
    </Section>
  )
}

interface FolderListProps {
  readonly title: string
  readonly name: string
  readonly empty: string
  readonly folders: readonly string[]
  /** The word on the button of each folder. */
  readonly remove: string
  readonly onRemove: (path: string) => void
}

function FolderList({ title, name, empty, folders, remove, onRemove }: FolderListProps) {
  return (
    <Row title={title} name={name} hint={folders.length === 0 ? empty : undefined}>
      {folders.length > 0 && (
        <ul className="flex w-80 max-w-full flex-col gap-0.5">
          {folders.map((path) => (
            <li key={path} className="flex items-center gap-1">
              <span className="min-w-0 flex-1 truncate font-mono text-fg-1 text-xs" title={path}>
                {path}
              </span>
              <Button variant="quiet" aria-label={`${remove} ${path}`} onClick={() => onRemove(path)}>
                {remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Row>
  )
}
