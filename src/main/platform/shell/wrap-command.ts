/** Wraps a command so that the shell reports its final folder. */

/** The file descriptor for the report. */
export const REPORT_FD = 3

/**
 * The arguments that run a command in the shell itself, so that `cd` and `exit` affect the shell, and without the user's
 * startup files. The folder is reported after the last command, or from a trap where the command calls `exit`. If the
 * command sets its own trap and calls `exit`, there is no report.
 * @param first a line that the shell runs before the command; '': none
 */
export function shellArguments(command: string, dialect: 'bash' | 'sh', first: string): readonly string[] {
  // Scripts use descriptors 3 to 9 themselves, and only bash supports higher descriptors.
  const fd = dialect === 'bash' ? 47 : 9
  const report = `command pwd -P >&${fd}`
  const script = [
    // A single line, so that line numbers in error messages match the command.
    [
      ...(first === '' ? [] : [first]),
      `exec ${fd}>&${REPORT_FD} ${REPORT_FD}>&- 2>&1`,
      // Turn off tracing that the command turned on, without printing that.
      `trap '{ set +x; ${report}; } 2>/dev/null' EXIT`,
      'troupe_command=$1; shift; eval "$troupe_command"',
    ].join('; '),
    `{ set -- $?; set +ex; ${report}; } 2>/dev/null`,
    'exit "$1"',
  ].join('\n')
  const plain = dialect === 'bash' ? ['--noprofile', '--norc'] : []
  return [...plain, '-c', script, dialect, command]
}

/** The folder in a report: its last complete line; null: there is none. */
export function folderOfReport(report: string): string | null {
  const lines = report.split('\n').slice(0, -1)
  const last = lines.at(-1)
  return last?.startsWith('/') ? last : null
}
