/** Which program opens a file at a line, and how it is told the line. */
import { basename } from 'node:path'
import { editorNames, type Settings } from '../../../shared/settings.ts'

type EditorName = (typeof editorNames)[number]

export interface ProgramCall {
  readonly program: string
  readonly args: readonly string[]
}

export interface Place {
  /** Absolute: it can't be taken for an option. */
  readonly path: string
  readonly line: number | null
}

/**
 * The call, or null where the system's own program for the file is to be used. Of `$VISUAL` and `$EDITOR`
 * only editors with a window count: one for a terminal would have none here.
 */
export function editorCommand(
  place: Place,
  setting: Settings['editor'],
  environment: { readonly VISUAL?: string | undefined; readonly EDITOR?: string | undefined },
): ProgramCall | null {
  if (setting !== 'auto') return { program: setting, args: placeArguments(setting, place) }
  for (const value of [environment.VISUAL, environment.EDITOR]) {
    const program = value?.trim().split(/\s+/)[0] ?? ''
    const name = basename(program).replace(/\.(exe|cmd)$/i, '')
    if (isEditor(name)) return { program, args: placeArguments(name, place) }
  }
  return null
}

function isEditor(name: string): name is EditorName {
  return (editorNames as readonly string[]).includes(name)
}

function placeArguments(editor: EditorName, { path, line }: Place): readonly string[] {
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
