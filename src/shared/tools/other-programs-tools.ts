/**
 * Tools of other programs without a counterpart in Troupe. Public definitions list them, so they are not reported as
 * mistakes.
 */

/** Names in lower case: of Claude Code, Copilot, Gemini CLI, Codex and Cursor. */
const NAMES: ReadonlySet<string> = new Set(
  [
    'NotebookRead LSP Workflow TaskGet SlashCommand ListMcpResourcesTool ReadMcpResourceTool ListMcpResources EnterPlanMode',
    'EnterWorktree ExitWorktree PowerShell Monitor StructuredOutput CronCreate CronDelete CronList Sleep ScheduleWakeup',
    'RemoteTrigger PushNotification Config SendUserMessage SendUserFile REPL ToolSearch computer-use think',
    'search codebase githubRepo problems runCommands fetch findTestFiles usages changes runTests testFailure web vscode',
    'openSimpleBrowser runTasks extensions terminalLastCommand new vscodeAPI terminalSelection searchResults execute browser',
    'terminalCommand todo todos runNotebooks editFiles runSubagent copilotCodingAgent activePullRequest readCellOutput shell',
    'updateUserPreferences createFile createDirectory listDirectory fileSearch textSearch runInTerminal',
    'getTerminalOutput getErrors getChangedFiles editNotebook insertEdit askQuestions memory manage_todo_list',
    'read_file write_file replace run_shell_command list_directory read_many_files search_file_content grep_search',
    'google_web_search web_fetch web_search save_memory write_todos apply_patch update_plan view_image unified_exec patch list',
    'codebase_search edit_file run_terminal_cmd list_dir file_search delete_file',
  ].flatMap((line) => line.toLowerCase().split(' ')),
)

/** Copilot writes `set/tool` and `server/*`. No tool of Troupe has a slash. */
export function isToolOfOtherProgram(name: string): boolean {
  return NAMES.has(name.toLowerCase()) || /^[\w.-]+(?: [\w.-]+)*\/[\w.*-]+$/.test(name)
}
