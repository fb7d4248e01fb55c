import { mount } from "svelte";
import "question-card/define";
import App from "./App.svelte";

mount(App, { target: document.querySelector("#app") });
