// First of all: zod tries whether it may compile code, which the page's policy forbids and the browser tells.
import { config } from "zod";

config({ jitless: true });
