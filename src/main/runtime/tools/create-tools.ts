/** All tools but Agent, which each agent gets with the agents it may start. */
import type { FileSearch, FileSystem, Shell } from '../ports.ts'
import type { AnyTool } from '../tool.ts'
import { createBashTool } from './bash.ts'
import { createEditTool } from './edit.ts'
import { createGlobTool } from './glob.ts'
import { createGrepTool } from './grep.ts'
import { createReadTool } from './read.ts'
import { createTodoWriteTool } from './todo-write.ts'
import { createWriteTool } from './write.ts'

export interface ToolPorts {
  readonly files: FileSystem
  readonly search: FileSearch
  readonly shell: Shell
}

export function createTools(ports: ToolPorts): readonly AnyTool[] {
  return [
    createReadTool(ports),
    createWriteTool(ports),
    createEditTool(ports),
    createGlobTool(ports),
    createGrepTool(ports),
    createBashTool(ports),
    createTodoWriteTool(),
  ]
}
