/** The command that opens a file at a line in the user's editor. */
import { basename } from 'node:path'
import { editorNames, type Settings } from '../../../shared/settings/settings.ts'

type EditorName = (typeof editorNames)[number]

export interface ProgramCall {
  readonly program: string
  readonly args: readonly string[]
}

interface FilePosition {
  /** Absolute, so it cannot be read as an option. */
  readonly path: string
  readonly line: number | null
}

/**
 * The command, or null for the system's default program. Of `$VISUAL` and `$EDITOR` only editors with a
 * window count: a terminal editor would have no terminal.
 */
export function editorCommand(
  position: FilePosition,
  setting: Settings['editor'],
  environment: { readonly VISUAL?: string | undefined; readonly EDITOR?: string | undefined },
): ProgramCall | null {
  if (setting !== 'auto') return { program: setting, args: positionArguments(setting, position) }
  for (const value of [environment.VISUAL, environment.EDITOR]) {
    const program = value?.trim().split(/\s+/)[0] ?? ''
    const name = basename(program).replace(/\.(exe|cmd)$/i, '')
    if (isEditor(name)) return { program, args: positionArguments(name, position) }
  }
  return null
}

function isEditor(name: string): name is EditorName {
  return (editorNames as readonly string[]).includes(name)
}

function positionArguments(editor: EditorName, { path, line }: FilePosition): readonly string[] {
  if (line === null) return [path]
  switch (editor) {
    case 'code':
    case 'code-insiders':
    case 'codium':
    case 'cursor':
    case 'windsurf':
      return ['--goto', `${path}:${line}`]
    case 'zed':
    case 'subl':
      return [`${path}:${line}`]
    case 'idea':
    case 'webstorm':
    case 'pycharm':
    case 'kate':
      return ['--line', String(line), path]
    case 'gedit':
    case 'gvim':
    case 'emacs':
      return [`+${line}`, path]
  }
}
