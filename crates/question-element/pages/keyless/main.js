import { createApp } from "vue";
import "question-card/define";
import App from "./App.vue";

createApp(App).mount("#app");
