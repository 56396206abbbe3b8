/** The port to command files. */
import type { CommandFile } from '../../shared/slash/command-file.ts'
import type { SlashCommand } from '../../shared/slash/slash-command.ts'

export interface FoundCommand {
  readonly info: SlashCommand & { readonly file: string }
  /** Null: the file is wrong, see `info.problem`. */
  readonly command: CommandFile | null
}

/** Command files of a folder, the strongest source first. A file that changed is read again. */
export interface CommandSource {
  /** @param options trusted: whether the folder's own files count */
  list(folder: string, options: { readonly trusted: boolean }): Promise<readonly FoundCommand[]>
}
